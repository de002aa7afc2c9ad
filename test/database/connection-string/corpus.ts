/** A text that people paste, and the URL that it ends in. */
export type Read = readonly [text: string, url: string]

/** A text that people paste, and words of the sentence that says what to change. */
export type Refused = readonly [text: string, says: RegExp]

const RDS = 'shop-prod.c9x2abcdefgh.eu-central-1.rds.amazonaws.com'
const NEON = 'ep-cool-darkness-123456.us-east-2.aws.neon.tech'
const REF = 'abcdefghijklmnopqrst'
const POOLER = 'aws-0-eu-central-1.pooler.supabase.com'
const ACCOUNT = '0123456789abcdef0123456789abcdef'
const ID = '01234567-89ab-cdef-0123-456789abcdef'

/** URLs, whole and with mistakes. */
export const urls: readonly Read[] = [
  ['postgres://reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  [
    'postgresql://reader:s3same@db.example.com:5432/shop',
    'postgres://reader:s3same@db.example.com:5432/shop',
  ],
  [
    '  postgres://reader:s3same@db.example.com/shop \n',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  ['POSTGRES://reader:s3same@DB.Example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  ['postgre://reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  ['postgres:/reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  ['postgres//reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  ['postgres:reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  ['postgres;//reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  [
    'postgres:\\\\reader:s3same@db.example.com/shop',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  ['postgres: //reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  ['pgsql://reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  ['reader:s3same@db.example.com:5432/shop', 'postgres://reader:s3same@db.example.com:5432/shop'],
  ['//reader:s3same@db.example.com:5432/shop', 'postgres://reader:s3same@db.example.com:5432/shop'],
  [
    'postgres:s3same@db.example.com:5432/shop',
    'postgres://postgres:s3same@db.example.com:5432/shop',
  ],
  ['root:s3same@db.example.com:3306/shop', 'mysql://root:s3same@db.example.com:3306/shop'],
  ['postgres://reader:s3same@db.example.com/shop/', 'postgres://reader:s3same@db.example.com/shop'],
  ['postgres://reader:s3same@db.example.com./shop', 'postgres://reader:s3same@db.example.com/shop'],
  ['postgres://reader@db.example.com/shop', 'postgres://reader@db.example.com/shop'],
  ['postgres://reader:s3same@db.example.com', 'postgres://reader:s3same@db.example.com'],
  [
    'postgres://reader:s3same@db.example.com,db2.example.com:5433/shop',
    'postgres://reader:s3same@db.example.com,db2.example.com:5433/shop',
  ],
  [
    'postgres://reader:s3same@https://db.example.com/shop',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'postgres://reader:s3same@db.exämple.com/shop',
    'postgres://reader:s3same@db.xn--exmple-cua.com/shop',
  ],
  ['mysql://reader:s3same@db.example.com/shop', 'mysql://reader:s3same@db.example.com/shop'],
  [
    'mariadb://reader:s3same@db.example.com:3307/shop',
    'mariadb://reader:s3same@db.example.com:3307/shop',
  ],
  [`postgres://reader:s3same@${RDS}:5432/shop`, `postgres://reader:s3same@${RDS}:5432/shop`],
]

/** A token of Amazon, as a person pastes it for the password. */
const TOKEN = `${RDS}:5432/?Action=connect&DBUser=reader&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAs3same&X-Amz-Signature=s3same`

/** Logins with a token in place of a password. */
export const tokens: readonly Read[] = [
  [`postgres://reader@${RDS}/shop?auth=rds-iam`, `postgres://reader@${RDS}/shop?auth=rds-iam`],
  [
    'mysql://reader@db.example.com/shop?auth=RDS-IAM&region=eu-west-1&credentials=SALES&tls=true',
    'mysql://reader@db.example.com/shop?ssl-mode=REQUIRED&auth=rds-iam&region=eu-west-1&credentials=SALES',
  ],
  [
    'postgres://reader%40shop-123.iam:s3same@10.20.0.3/shop?sslmode=require&auth=cloudsql-iam',
    'postgres://reader%40shop-123.iam@10.20.0.3/shop?sslmode=require&auth=cloudsql-iam',
  ],
  [
    `jdbc:aws-wrapper:postgresql://${RDS}:5432/shop?user=reader&wrapperPlugins=failover,iam&iamRegion=eu-central-1`,
    `postgres://reader@${RDS}:5432/shop?auth=rds-iam&region=eu-central-1`,
  ],
  [
    `host=${RDS} port=5432 dbname=shop user=reader sslmode=require password='${TOKEN}'`,
    `postgres://reader@${RDS}:5432/shop?sslmode=require&auth=rds-iam`,
  ],
  // What other programs call so.
  [
    'postgres://reader:s3same@db.example.com/shop?auth=scram',
    'postgres://reader:s3same@db.example.com/shop',
  ],
]

/** Passwords and other parts with signs that mean something in a URL. */
export const signs: readonly Read[] = [
  // One sign is not encoded, so none is meant to be.
  [
    'postgres://reader:p@%41b@db.example.com/shop',
    'postgres://reader:p%40%2541b@db.example.com/shop',
  ],
  ['postgres://reader:p@ss@db.example.com/shop', 'postgres://reader:p%40ss@db.example.com/shop'],
  ['postgres://reader:p%40ss@db.example.com/shop', 'postgres://reader:p%40ss@db.example.com/shop'],
  ['postgres://reader:p#ss@db.example.com/shop', 'postgres://reader:p%23ss@db.example.com/shop'],
  ['postgres://reader:p/ss@db.example.com/shop', 'postgres://reader:p%2Fss@db.example.com/shop'],
  ['postgres://reader:p%ss@db.example.com/shop', 'postgres://reader:p%25ss@db.example.com/shop'],
  ['postgres://reader:p?ss@db.example.com/shop', 'postgres://reader:p%3Fss@db.example.com/shop'],
  [
    'postgres://reader:p@s/s#1?2%@db.example.com/shop',
    'postgres://reader:p%40s%2Fs%231%3F2%25@db.example.com/shop',
  ],
  ['postgres://reader:p:ss@db.example.com/shop', 'postgres://reader:p%3Ass@db.example.com/shop'],
  ['postgres://reader:p ss@db.example.com/shop', 'postgres://reader:p%20ss@db.example.com/shop'],
  [
    'postgres://reader:p[s]s@db.example.com/shop',
    'postgres://reader:p%5Bs%5Ds@db.example.com/shop',
  ],
  [
    'postgres://reader:pässwörd@db.example.com/shop',
    'postgres://reader:p%C3%A4ssw%C3%B6rd@db.example.com/shop',
  ],
  [
    'postgres://reader:a+b&c=d@db.example.com/shop',
    'postgres://reader:a%2Bb%26c%3Dd@db.example.com/shop',
  ],
  ['postgres://reader:p$ss@db.example.com/shop', 'postgres://reader:p%24ss@db.example.com/shop'],
  [
    'postgres://ada@example.com:s3same@db.example.com/shop',
    'postgres://ada%40example.com:s3same@db.example.com/shop',
  ],
  [
    'postgres://reader:s3same@db.example.com/web%20shop',
    'postgres://reader:s3same@db.example.com/web%20shop',
  ],
  [
    'postgres://reader:s3same@db.example.com/web shop',
    'postgres://reader:s3same@db.example.com/web%20shop',
  ],
  [
    'postgres://reader:s3same@db.example.com/shop?application_name=a@b.example',
    'postgres://reader:s3same@db.example.com/shop?application_name=a%40b.example',
  ],
  ['mysql://reader:100%@db.example.com/shop', 'mysql://reader:100%25@db.example.com/shop'],
]

/** Addresses of hosts. */
export const hosts: readonly Read[] = [
  [
    'postgres://reader:s3same@[2001:db8::1]:5432/shop',
    'postgres://reader:s3same@[2001:db8::1]:5432/shop',
  ],
  [
    'postgres://reader:s3same@[2001:0DB8:0:0::0001]/shop',
    'postgres://reader:s3same@[2001:db8::1]/shop',
  ],
  ['postgres://reader:s3same@2001:db8::1/shop', 'postgres://reader:s3same@[2001:db8::1]/shop'],
  ['postgres://reader:s3same@192.0.2.7:5432/shop', 'postgres://reader:s3same@192.0.2.7:5432/shop'],
  ['mysql://reader:s3same@[::1]/shop', 'mysql://reader:s3same@[::1]/shop'],
  [
    'postgres:///shop?host=db.example.com&user=reader&password=s3same',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'postgresql://db.example.com/shop?user=reader&password=p%40ss&port=5433',
    'postgres://reader:p%40ss@db.example.com:5433/shop',
  ],
]

/** Several hosts. */
export const several: readonly Read[] = [
  [
    'postgresql://reader:p@ss@DB1.example.com:5432,db2.example.com:5433,[2001:db8::1]/shop?target_session_attrs=standby&load_balance_hosts=random',
    'postgres://reader:p%40ss@db1.example.com:5432,db2.example.com:5433,[2001:db8::1]/shop?target_session_attrs=standby&load_balance_hosts=random',
  ],
  [
    'host=db1.example.com,db2.example.com port=5432,5433 user=reader password=s3same dbname=shop',
    'postgres://reader:s3same@db1.example.com:5432,db2.example.com:5433/shop',
  ],
  [
    'host=db1.example.com,db2.example.com port=6543 user=reader password=s3same dbname=shop target_session_attrs=prefer-standby',
    'postgres://reader:s3same@db1.example.com:6543,db2.example.com:6543/shop?target_session_attrs=prefer-standby',
  ],
  [
    'jdbc:postgresql://db1.example.com,db2.example.com:5433/shop?user=reader&password=s3same&targetServerType=preferSecondary&loadBalanceHosts=true',
    'postgres://reader:s3same@db1.example.com,db2.example.com:5433/shop?target_session_attrs=prefer-standby&load_balance_hosts=random',
  ],
  [
    'Host=db1.example.com:5433,db2.example.com;Username=reader;Password=s3same;Database=shop;Target Session Attributes=read-only',
    'postgres://reader:s3same@db1.example.com:5433,db2.example.com/shop?target_session_attrs=read-only',
  ],
  [
    'postgres://reader:s3same@/shop?host=db1.example.com,db2.example.com&port=5432,5433',
    'postgres://reader:s3same@db1.example.com:5432,db2.example.com:5433/shop',
  ],
  [
    'psql -h db1.example.com,db2.example.com -p 5433 -U reader shop',
    'postgres://reader@db1.example.com:5433,db2.example.com:5433/shop',
  ],
  [
    'reader:s3same@db1.example.com:5432,db2.example.com:5432/shop',
    'postgres://reader:s3same@db1.example.com:5432,db2.example.com:5432/shop',
  ],
  [
    'jdbc:mysql:replication://db1.example.com:3306,db2.example.com:3307/shop?user=reader&password=s3same',
    'mysql://reader:s3same@db1.example.com:3306,db2.example.com:3307/shop',
  ],
  [
    'mysql://reader:s3same@db1.example.com,db2.example.com/shop?target_session_attrs=standby',
    'mysql://reader:s3same@db1.example.com,db2.example.com/shop?target_session_attrs=standby',
  ],
  // Of engines that have one.
  [
    'clickhouse://reader:s3same@ch1.example.com:8443,ch2.example.com:8443/shop',
    'clickhouses://reader:s3same@ch1.example.com:8443/shop',
  ],
]

/** Parameters of other programs. */
export const parameters: readonly Read[] = [
  [
    'postgres://reader:s3same@db.example.com/shop?sslmode=require',
    'postgres://reader:s3same@db.example.com/shop?sslmode=require',
  ],
  [
    'postgres://reader:s3same@db.example.com/shop?sslmode=verify-full&sslrootcert=system',
    'postgres://reader:s3same@db.example.com/shop?sslmode=verify-full',
  ],
  [
    'postgres://reader:s3same@db.example.com/shop?sslmode=no-verify',
    'postgres://reader:s3same@db.example.com/shop?sslmode=require',
  ],
  [
    'postgres://reader:s3same@db.example.com/shop?ssl=true',
    'postgres://reader:s3same@db.example.com/shop?sslmode=require',
  ],
  [
    'postgres://reader:s3same@db.example.com/shop?sslmode=required',
    'postgres://reader:s3same@db.example.com/shop?sslmode=require',
  ],
  [
    'postgres://reader:s3same@db.example.com/shop?sslmode=',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'postgres://reader:s3same@db.example.com/shop?schema=public&connection_limit=5',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'postgres://reader:s3same@db.example.com:6432/shop?pgbouncer=true',
    'postgres://reader:s3same@db.example.com:6432/shop',
  ],
  [
    'postgres://reader:s3same@db.example.com/shop?options=-c%20search_path%3Dsales',
    'postgres://reader:s3same@db.example.com/shop?options=-c%20search_path%3Dsales',
  ],
  [
    'postgresql+psycopg2://reader:s3same@db.example.com/shop',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'postgresql+asyncpg://reader:s3same@db.example.com/shop?ssl=require',
    'postgres://reader:s3same@db.example.com/shop?sslmode=require',
  ],
  ['postgis://reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  [
    'mysql2://reader:s3same@db.example.com/shop?pool=5&encoding=utf8mb4',
    'mysql://reader:s3same@db.example.com/shop',
  ],
  [
    'mysql+pymysql://reader:s3same@db.example.com/shop?charset=utf8mb4',
    'mysql://reader:s3same@db.example.com/shop',
  ],
  [
    'postgres://reader:s3same@db.example.com/shop?sslaccept=accept_invalid_certs',
    'postgres://reader:s3same@db.example.com/shop?sslmode=require',
  ],
  [
    'mysql://reader:s3same@db.example.com/shop?sslaccept=strict',
    'mysql://reader:s3same@db.example.com/shop?ssl-mode=VERIFY_IDENTITY',
  ],
  [
    'mysql://reader:s3same@db.example.com/shop?sslmode=prefer',
    'mysql://reader:s3same@db.example.com/shop?ssl-mode=PREFERRED',
  ],
  [
    'mysql://reader:s3same@db.example.com/shop?ssl={"rejectUnauthorized":true}',
    'mysql://reader:s3same@db.example.com/shop?ssl-mode=REQUIRED',
  ],
  [
    'mysql://reader:s3same@db.example.com/shop?useSSL=false',
    'mysql://reader:s3same@db.example.com/shop?ssl-mode=DISABLED',
  ],
]

/** What the consoles of companies give out. */
export const services: readonly Read[] = [
  [
    `postgresql://postgres.${REF}:s3same@${POOLER}:6543/postgres`,
    `postgres://postgres.${REF}:s3same@${POOLER}:6543/postgres`,
  ],
  [
    `postgresql://postgres:s3same@db.${REF}.supabase.co:5432/postgres`,
    `postgres://postgres:s3same@db.${REF}.supabase.co:5432/postgres`,
  ],
  [`supabase://:sbp_0123456789@${REF}`, `supabase://:sbp_0123456789@${REF}`],
  [`supabase://:sbp_0123456789@${REF}.supabase.co`, `supabase://:sbp_0123456789@${REF}`],
  [
    `postgresql://reader:npg_s3same@${NEON}/neondb?sslmode=require&channel_binding=require`,
    `postgres://reader:npg_s3same@${NEON}/neondb?sslmode=require`,
  ],
  [
    `psql 'postgresql://reader:npg_s3same@ep-cool-pooler.us-east-2.aws.neon.tech/neondb?sslmode=require'`,
    'postgres://reader:npg_s3same@ep-cool-pooler.us-east-2.aws.neon.tech/neondb?sslmode=require',
  ],
  [
    'mysql://abc:pscale_pw_s3same@aws.connect.psdb.cloud/shop?sslaccept=strict',
    'mysql://abc:pscale_pw_s3same@aws.connect.psdb.cloud/shop',
  ],
  [
    'mysql2://abc:pscale_pw_s3same@aws.connect.psdb.cloud/shop?ssl={"rejectUnauthorized":true}',
    'mysql://abc:pscale_pw_s3same@aws.connect.psdb.cloud/shop',
  ],
  [
    'libsql://shop-ada.turso.io?authToken=eyJh.eyJp.sig',
    'libsql://shop-ada.turso.io?authToken=eyJh.eyJp.sig',
  ],
  [
    'sqlite+libsql://shop-ada.turso.io?authToken=eyJh.eyJp.sig&secure=true',
    'libsql://shop-ada.turso.io?authToken=eyJh.eyJp.sig',
  ],
  [
    'clickhouse://default:s3same@abc123.eu-central-1.aws.clickhouse.cloud:9440/default?secure=true',
    'clickhouses://default:s3same@abc123.eu-central-1.aws.clickhouse.cloud:8443/default',
  ],
  [
    'clickhouse+native://reader:s3same@ch.example.com:9000/shop',
    'clickhouse://reader:s3same@ch.example.com:8123/shop',
  ],
  [
    'rqlite://reader:s3same@rq.example.com:4001?level=none&freshness=1s',
    'rqlite://reader:s3same@rq.example.com:4001?level=none&freshness=1s',
  ],
  [`d1://:token@${ACCOUNT}/${ID}`, `d1://:token@${ACCOUNT}/${ID}`],
  ['d1:SHOP', 'd1:SHOP'],
  ['hyperdrive:WAREHOUSE', 'hyperdrive:WAREHOUSE'],
  ['hyperdrive://WAREHOUSE', 'hyperdrive:WAREHOUSE'],
  ['demo:', 'demo:'],
  ['secret:SHOP_URL', 'secret:SHOP_URL'],
]

/** Forms that are not URLs, and URLs of other worlds. */
export const forms: readonly Read[] = [
  [
    'jdbc:postgresql://db.example.com:5432/shop?user=reader&password=p@ss&ssl=true',
    'postgres://reader:p%40ss@db.example.com:5432/shop?sslmode=require',
  ],
  [
    'jdbc:mysql://db.example.com:3306/shop?user=reader&password=s3same&useSSL=true&serverTimezone=UTC',
    'mysql://reader:s3same@db.example.com:3306/shop?ssl-mode=REQUIRED',
  ],
  [
    'jdbc:mariadb://db.example.com/shop?user=reader&password=s3same',
    'mariadb://reader:s3same@db.example.com/shop',
  ],
  [
    'jdbc:clickhouse:https://ch.example.com:8443/shop?user=reader&password=s3same',
    'clickhouses://reader:s3same@ch.example.com:8443/shop',
  ],
  [
    'jdbc:ch://ch.example.com:8123/shop?user=reader&password=s3same',
    'clickhouse://reader:s3same@ch.example.com:8123/shop',
  ],
  [
    'jdbc:aws-wrapper:postgresql://db.example.com/shop?user=reader&password=s3same',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'Host=db.example.com;Port=5432;Username=reader;Password=p@ss/1;Database=shop;SSL Mode=Require;Trust Server Certificate=true',
    'postgres://reader:p%40ss%2F1@db.example.com:5432/shop?sslmode=require',
  ],
  [
    'Host=db.example.com;Username=reader;Password="a;b""c";Database=shop',
    'postgres://reader:a%3Bb%22c@db.example.com/shop',
  ],
  [
    'Server=db.example.com;Port=3306;Database=shop;Uid=reader;Pwd=s3same;SslMode=Required;',
    'mysql://reader:s3same@db.example.com:3306/shop?ssl-mode=REQUIRED',
  ],
  [
    'Server=db.example.com;Database=shop;Uid=reader;Pwd=s3same;',
    'mysql://reader:s3same@db.example.com/shop',
  ],
  [
    'Server=db.example.com;User ID=reader;Password=s3same;Database=shop;SslMode=Preferred',
    'mysql://reader:s3same@db.example.com/shop?ssl-mode=PREFERRED',
  ],
  [
    'User ID=reader;Password=s3same;Host=db.example.com;Port=5432;Database=shop;Pooling=true;Min Pool Size=0;',
    'postgres://reader:s3same@db.example.com:5432/shop',
  ],
  [
    'Driver={PostgreSQL Unicode};Server=db.example.com;Port=5432;Database=shop;Uid=reader;Pwd={s3s;ame};',
    'postgres://reader:s3s%3Bame@db.example.com:5432/shop',
  ],
  [
    'Host=ch.example.com;Port=8123;Username=reader;Password=s3same;Database=shop',
    'clickhouse://reader:s3same@ch.example.com:8123/shop',
  ],
  [
    "host=db.example.com port=5432 user=reader password='it\\'s a s3same' dbname=shop sslmode=require",
    "postgres://reader:it's%20a%20s3same@db.example.com:5432/shop?sslmode=require",
  ],
  [
    'host=db.example.com user=reader password=p@ss#1 dbname=shop connect_timeout=10',
    'postgres://reader:p%40ss%231@db.example.com/shop',
  ],
  [
    'psql "postgres://reader:s3same@db.example.com/shop"',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'psql -h db.example.com -p 5433 -U reader -d shop',
    'postgres://reader@db.example.com:5433/shop',
  ],
  [
    'PGPASSWORD=s3same psql -h db.example.com -U reader shop',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '$ psql --host=db.example.com --username=reader --dbname=shop',
    'postgres://reader@db.example.com/shop',
  ],
  [
    'psql "host=db.example.com user=reader password=s3same dbname=shop sslmode=verify-full"',
    'postgres://reader:s3same@db.example.com/shop?sslmode=verify-full',
  ],
  [
    'host=db.example.com user=reader password=s3same@/x dbname=shop',
    'postgres://reader:s3same%40%2Fx@db.example.com/shop',
  ],
  [
    'Server=db.example.com;Port=3306;Database=shop;User Id=reader;Password=s3same@/x;',
    'mysql://reader:s3same%40%2Fx@db.example.com:3306/shop',
  ],
  [
    'mysql -h db.example.com -P 3307 -u reader -ps3same shop',
    'mysql://reader:s3same@db.example.com:3307/shop',
  ],
  [
    'mysql --host db.example.com --user reader --password=s3/same --ssl-mode=REQUIRED -D shop',
    'mysql://reader:s3%2Fsame@db.example.com/shop?ssl-mode=REQUIRED',
  ],
  [
    'clickhouse-client --host ch.example.com --secure --user reader --password s3same --database shop',
    'clickhouses://reader:s3same@ch.example.com/shop',
  ],
]

/** Quotes, lines of files, and texts around a connection string. */
export const wrapped: readonly Read[] = [
  [
    'DATABASE_URL=postgres://reader:s3same@db.example.com/shop npm start',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '"postgres://reader:s3same@db.example.com/shop"',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    "'postgres://reader:s3same@db.example.com/shop';",
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '“postgres://reader:s3same@db.example.com/shop”',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '`postgres://reader:s3same@db.example.com/shop`',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '<postgres://reader:s3same@db.example.com/shop>',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  ['"postgres://reader:s3same@db.example.com/shop', 'postgres://reader:s3same@db.example.com/shop'],
  [
    '\ufeffpostgres://reader:s3same@db.example.com/shop\u200b',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '\u00a0postgres://reader:s3same@db.example.com/shop\u00a0',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'DATABASE_URL=postgres://reader:s3same@db.example.com/shop',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'DATABASE_URL="postgres://reader:s3same@db.example.com/shop"',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'DATABASE_URL = "postgres://reader:s3same@db.example.com/shop" # production',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    "export DATABASE_URL='postgres://reader:s3same@db.example.com/shop'",
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '$env:DATABASE_URL = "postgres://reader:s3same@db.example.com/shop"',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'DATABASE_URL: postgres://reader:s3same@db.example.com/shop',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '- DATABASE_URL=postgres://reader:s3same@db.example.com/shop',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '"DATABASE_URL": "postgres://reader:s3same@db.example.com/shop",',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    '# .env\nREDIS_URL=redis://cache.example.com:6379\n\nDATABASE_URL=postgres://reader:s3same@db.example.com/shop\nPORT=3000',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'DIRECT_URL=postgres://direct:s3same@db.example.com/shop\nDATABASE_URL=postgres://reader:s3same@db.example.com/shop',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'POSTGRES_URL_NON_POOLING="postgres://a:b@db.example.com/shop"\nPOSTGRES_PRISMA_URL="postgres://c:d@db.example.com/shop"\nPOSTGRES_URL="postgres://reader:s3same@db.example.com/shop"',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'DB_CONNECTION=pgsql\nDB_HOST=db.example.com\nDB_PORT=5432\nDB_DATABASE=shop\nDB_USERNAME=reader\nDB_PASSWORD="p@ss word"',
    'postgres://reader:p%40ss%20word@db.example.com:5432/shop',
  ],
  [
    'name = "gate"\n[vars]\nDATABASE_URL = "postgres://reader:s3same@db.example.com/shop"\n[[d1_databases]]\nbinding = "DB"',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'PGHOST=db.example.com\nPGUSER=reader\nPGPASSWORD=s3same\nPGDATABASE=shop\nPGSSLMODE=require',
    'postgres://reader:s3same@db.example.com/shop?sslmode=require',
  ],
  [
    'MYSQL_HOST=db.example.com\nMYSQL_USER=reader\nMYSQL_PASSWORD=s3same\nMYSQL_DATABASE=shop',
    'mysql://reader:s3same@db.example.com/shop',
  ],
  [
    'TURSO_DATABASE_URL=libsql://shop-ada.turso.io\nTURSO_AUTH_TOKEN=eyJh.eyJp.sig',
    'libsql://shop-ada.turso.io?authToken=eyJh.eyJp.sig',
  ],
  [
    'spring.datasource.url=jdbc:postgresql://db.example.com:5432/shop\nspring.datasource.username=reader\nspring.datasource.password=s3same',
    'postgres://reader:s3same@db.example.com:5432/shop',
  ],
  [
    'production:\n  adapter: postgresql\n  host: db.example.com\n  database: shop\n  username: reader\n  password: s3same\n  pool: 5',
    'postgres://reader:s3same@db.example.com/shop',
  ],
  [
    'psql \\\n  -h db.example.com \\\n  -U reader \\\n  shop',
    'postgres://reader@db.example.com/shop',
  ],
  [
    'Connection string:\npostgres://reader:s3same@db.example.com/shop',
    'postgres://reader:s3same@db.example.com/shop',
  ],
]

/** Texts that end in a sentence. */
export const refused: readonly Refused[] = [
  ['postgres://reader:s3same@db1.example.com,/run/db/shop?host=db1.example.com,/run', /a socket/],
  ['host=db1.example.com,db2.example.com port=1,2,3 user=reader', /number of ports does not match/],
  ['postgres://reader:s3same@db1.example.com:5432,db2.example.com:x/shop', /not a number from 1/],
  [
    `postgres://reader:s3same@${'db.example.com,'.repeat(9)}db.example.com/shop`,
    /The maximum is 8/,
  ],
  ['secret:pa&s3same', /The name after secret: is missing or not valid/],
  ['secret:SHOP postgres://db.example.com/shop', /The name after secret: is missing or not valid/],
  ['postgres://reader@db.example.com/shop?auth=rds-iam', /must contain the region/],
  ['postgres://reader@db.example.com/shop?auth=rds_iam', /Write auth=rds-iam/],
  ['mysql://reader@db.example.com/shop?auth=iam', /Write auth=rds-iam/],
  [
    'mysql://reader@db.example.com/shop?auth=rds-iam&region=eu-west-1&ssl=false',
    /must be encrypted/,
  ],
  ['postgres://reader@db.example.com/shop?auth=alloydb-iam&credentials=x', /in capitals/],
  ['mysql://reader@db.example.com/shop password=s3same', /after the database/],
  ['postgres://db.example.com/shop user=reader password=s3same', /after the database/],
  ['mysql://db.example.com/shop -u reader -p s3same', /after the database/],
  ['mysql -h db.example.com -u reader -pblank s3same shop', /in quotes/],
  [
    'psql "host=db.example.com dbname={your_database} user=ada password={your_password}"',
    /password is still a placeholder|database is still a placeholder/,
  ],
  ['', /There is nothing here/],
  [' \n\t', /There is nothing here/],
  ['hello', /not a known form of connection string/],
  ['a'.repeat(1_000_000), /more than 65,536 characters/],
  [`postgres://reader:${'a'.repeat(5_000)}@db.example.com/shop`, /at most 4,000 characters/],
  ['db.example.com', /only a server address/],
  ['db.example.com:5432', /only a server address/],
  ['reader:s3same@db.example.com/shop', /does not say which engine/],
  ['postgres://', /has no host/],
  ['postgres://db.example.com/shop', /has no user/],
  ['postgres://reader:s3same@/shop', /has no host/],
  ['postgres://reader:s3same@:5432/shop', /has no host/],
  ['postgres://reader:s3same@db.example.com:abc/shop', /port is not a number/],
  ['postgres://reader:s3same@db.example.com:99999/shop', /port is not a number/],
  ['postgres://reader:s3same:db.example.com:5432/shop', /@ between the password and the host/],
  ['postgres://reader:s3same@db example.com/shop', /characters that are not allowed in a host/],
  ['postgres://reader:s3same@[fe80::1%25eth0]/shop', /one network card/],
  ['mysql://reader:s3same@db.example.com', /has no database/],
  ['mysql://db.example.com/shop', /has no user/],
  [`postgres://reader:s3same@${NEON}`, /has no database/],
  ['postgres://reader:[YOUR-PASSWORD]@db.example.com/shop', /password is still a placeholder/],
  [
    `postgresql://postgres.${REF}:[YOUR-PASSWORD]@${POOLER}:6543/postgres`,
    /placeholder.*Supabase shows it once/,
  ],
  [
    'postgresql://postgres.[YOUR-PROJECT-REF]:s3same@aws-0-eu-central-1.pooler.supabase.com/postgres',
    /user is still a placeholder/,
  ],
  ['postgres://reader:<password>@db.example.com/shop', /password is still a placeholder/],
  ['postgres://reader:****@db.example.com/shop', /password is still a placeholder/],
  ['postgres://reader:••••••••@db.example.com/shop', /password is still a placeholder/],
  ['postgres://USER:PASSWORD@HOST:5432/DATABASE', /host is still a placeholder/],
  ['postgres://reader:your_password_here@db.example.com/shop', /password is still a placeholder/],
  ['postgres://reader:$DB_PASSWORD@db.example.com/shop', /password is the name of a variable/],
  ['postgres://reader:\x24{DB_PASSWORD}@db.example.com/shop', /password is the name of a variable/],
  ['postgres://reader:s3same@<host>/shop', /host is still a placeholder/],
  ['postgres:///shop?host=/var/run/postgresql&user=reader', /refers to a socket/],
  ['postgresql://reader@%2Fvar%2Frun%2Fpostgresql/shop', /refers to a socket/],
  ['host=/var/run/postgresql user=reader dbname=shop', /refers to a socket/],
  ['postgres://reader:s3same@localhost/shop?host=/cloudsql/proj:region:inst', /Cloud SQL socket/],
  [
    'postgres://reader:s3same@db.example.com/shop?sslmode=sometimes',
    /sslmode has an unknown value/,
  ],
  ['mysql://reader:s3same@db.example.com/shop?ssl-mode=sometimes', /ssl-mode has an unknown value/],
  ['libsql://shop-ada.turso.io', /token is missing.*turso db tokens create/],
  ['supabase://:token@shop', /20 letters/],
  ['d1://:token@account/shop', /account ID/],
  ['d1:', /name after d1: is missing/],
  ['./data/shop.sqlite3', /SQLite file/],
  ['sqlite:///home/ada/shop.db', /SQLite file/],
  ['file:./dev.db', /SQLite file/],
  ['DATABASE_URL="file:./dev.db"', /SQLite file/],
  ['Data Source=shop.db;Version=3;', /SQLite file/],
  [
    'Server=tcp:shop.database.windows.net,1433;Initial Catalog=shop;User ID=reader;Password=s3same;Encrypt=True;',
    /SQL Server/,
  ],
  [
    'Server=db.example.com;Database=shop;User Id=reader;Password=s3same;',
    /does not say which engine/,
  ],
  ['<html><body>404</body></html>', /not a known form of connection string/],
  ['{"a":1}', /not a known form of connection string/],
  ['select * from orders', /not a known form of connection string/],
  ['mysql -h db.example.com -u reader -p s3same shop', /one word too many.*MYSQL_PWD=PASSWORD/],
  ['psql -h db.example.com -W s3same shop', /one word too many.*PGPASSWORD=PASSWORD/],
  ['mongodb+srv://reader:s3same@db.example.com/shop', /Tidegate has no driver for mongodb\+srv:/],
  ['https://shop-ada.turso.io?authToken=s3same', /Tidegate has no driver for https:.* libsql:/],
  ['jdbc:sqlserver://db.example.com;user=reader;password=s3same', /has no driver for sqlserver:/],
  ['jdbc:oracle:thin:@db.example.com:1521/shop', /has no engine or host/],
  ['reader:s3same@tcp(db.example.com:3306)/shop', /not a known form/],
  ['{"engine":"postgres","host":"db.example.com","password":"s3same"}', /not a known form/],
  ['PGHOST=db.example.com PGUSER=reader PGPASSWORD=s3same PGDATABASE=shop', /not a known form/],
]
