import { describe, expect, test } from 'vitest'
import { clickhouseError } from '../../src/database/clickhouse/error.ts'
import { DatabaseError } from '../../src/database/index.ts'
import { loginError } from '../../src/database/mysql/error.ts'
import { connectFailure as mysqlFailure } from '../../src/database/mysql/tcp/error.ts'
import { postgresError } from '../../src/database/postgres/error.ts'
import { tlsFailure } from '../../src/database/postgres/libpq/own-tls.ts'
import { connectFailure as postgresFailure } from '../../src/database/postgres/tcp/error.ts'

describe('the reason of an error', () => {
  test.each([
    ['28P01', 'password_wrong'],
    ['28000', 'login_refused'],
    ['3D000', 'database_not_found'],
    ['53300', undefined],
  ])('follows from the code of PostgreSQL: %s', (code, reason) => {
    expect(postgresError({ code, message: '' }, 0, true).reason).toBe(reason)
  })

  test.each([
    [1045, 'login_refused'],
    [1044, 'database_denied'],
    [1130, 'address_refused'],
    [1049, 'database_not_found'],
    [1040, undefined],
  ])('follows from the number of MySQL: %s', (errno, reason) => {
    expect(loginError(errno).reason).toBe(reason)
  })

  test.each([
    ['516', 'app: Authentication failed', 'login_refused'],
    ['81', 'Database shop does not exist', 'database_not_found'],
    ['81', 'Database other does not exist', undefined],
    ['452', 'Setting max_rows should not be changed', undefined],
  ])('follows from the number of ClickHouse: %s, %s', (code, said, reason) => {
    const text = `Code: ${code}. DB::Exception: ${said}. (X)`
    const error = clickhouseError(text, { sql: 'select 1', database: 'shop', timeoutMs: 1_000 })
    expect(error).toBeInstanceOf(DatabaseError)
    expect(error!.reason).toBe(reason)
  })

  test('is the same for each driver that encrypts', () => {
    const noTls = { message: 'The server does not support SSL connections' }
    expect(postgresFailure(noTls, true).reason).toBe('not_encrypted')
    expect(mysqlFailure({ code: 'HANDSHAKE_NO_SSL_SUPPORT' }).reason).toBe('not_encrypted')
    const distrusted = { code: 'SELF_SIGNED_CERT_IN_CHAIN' }
    expect(postgresFailure(distrusted, true).reason).toBe('certificate_untrusted')
    expect(mysqlFailure(distrusted).reason).toBe('certificate_untrusted')
    expect(tlsFailure(distrusted.code)?.reason).toBe('certificate_untrusted')
    expect(tlsFailure('ERR_SSL_UNSUPPORTED_PROTOCOL')?.reason).toBe('tls_failed')
  })

  test('stays when an error is told in other words', () => {
    const told = postgresError({ code: '28P01', message: '' }, 0, true).told('Otherwise.', 3)
    expect(told).toMatchObject({ reason: 'password_wrong', code: '28P01', position: 3 })
  })
})
