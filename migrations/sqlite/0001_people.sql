-- People and their sessions. All times are milliseconds since 1970-01-01 UTC.

create table users (
    id integer not null constraint users_pk primary key autoincrement,
    -- In lower case: one mailbox is one account.
    email text not null constraint users_email_unique unique,
    -- An argon2id hash in the PHC string format.
    password_hash text not null,
    created_at integer not null
) strict;

create table sessions (
    -- SHA-256 of the cookie's secret, in hex: who reads this table cannot sign in with it.
    token_hash text not null constraint sessions_pk primary key,
    user_id integer not null constraint sessions_user references users (id) on delete cascade,
    created_at integer not null,
    expires_at integer not null
) strict, without rowid;

create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);
