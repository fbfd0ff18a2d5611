-- People and their sessions. All times are milliseconds since 1970-01-01 UTC. Text that is compared is compared byte for
-- byte (binary collations), as on the other engines.
--
-- MySQL commits every such statement by itself, so each can be run again after an interruption.

create table if not exists users (
    id bigint not null auto_increment,
    -- In lower case: one mailbox is one account.
    email varchar(254) character set utf8mb4 collate utf8mb4_bin not null,
    -- An argon2id hash in the PHC string format.
    password_hash varchar(255) character set ascii collate ascii_bin not null,
    created_at bigint not null,
    constraint users_pk primary key (id),
    constraint users_email_unique unique (email)
) engine = InnoDB;

create table if not exists sessions (
    -- SHA-256 of the cookie's secret, in hex: who reads this table cannot sign in with it.
    token_hash varchar(64) character set ascii collate ascii_bin not null,
    user_id bigint not null,
    created_at bigint not null,
    expires_at bigint not null,
    constraint sessions_pk primary key (token_hash),
    constraint sessions_user foreign key (user_id) references users (id) on delete cascade,
    index sessions_by_user (user_id),
    index sessions_by_expiry (expires_at)
) engine = InnoDB;
