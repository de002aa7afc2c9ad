-- The state of a gateway of commit c5f07ee, of 2026-11-23, as SQL: test/registry/old-states.test.ts opens it.
CREATE TABLE _alarms (class text, name text, at real not null, tries integer not null, primary key (class, name)) without rowid;
insert into "_alarms" ("class", "name", "at", "tries") values ('SESSIONS', 'c41d0742409e477bb34dd19602bf3ba9', 1798069063251, 0);
CREATE TABLE _cf_KV (object text, key text, value blob not null, primary key (object, key)) without rowid;
insert into "_cf_KV" ("object", "key", "value") values ('SESSIONS:c41d0742409e477bb34dd19602bf3ba9', 'session', x'ff0f6f220776657273696f6e220a323032352d31312d32352206636c69656e746f22046e616d6522036f6c64220776657273696f6e220131220c6361706162696c69746965736f7b007b0322077375626a656374220f616461406578616d706c652e636f6d22067573656441744e00302713ac207a427b04');
