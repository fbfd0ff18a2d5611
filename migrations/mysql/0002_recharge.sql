-- Orders, balances and the ledger. Money is whole minor units (cents), tokens are whole: bigint in strict mode refuses an
-- overflow.

create table if not exists recharge_order (
    -- A UUIDv7 in lower case.
    order_no varchar(36) character set ascii collate ascii_bin not null,
    user_id bigint not null,
    -- Compared byte for byte; the grammar of keys has no blanks, so that padding plays no part.
    idempotency_key varchar(255) character set ascii collate ascii_bin not null,
    amount_minor bigint not null,
    currency varchar(3) character set ascii collate ascii_bin not null,
    -- 0: recharged synchronously.
    channel bigint not null default 0,
    -- 0 PENDING, 1 PAID, 2 COMPLETED; 3 is kept for keys that are voided before anything is paid.
    status bigint not null,
    -- Stored when the order completes.
    bonus_tokens bigint,
    tier varchar(100) character set utf8mb4 collate utf8mb4_bin not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint recharge_order_pk primary key (order_no),
    -- The only judge of which request with a key was first.
    constraint recharge_order_key_unique unique (user_id, idempotency_key),
    index recharge_order_newest (user_id, order_no),
    constraint recharge_order_user foreign key (user_id) references users (id),
    constraint recharge_order_key_length check (length(idempotency_key) between 1 and 255),
    constraint recharge_order_status check (status between 0 and 3),
    constraint recharge_order_amount check (amount_minor > 0 or (status = 3 and amount_minor = 0)),
    constraint recharge_order_tokens check ((status = 2) = (bonus_tokens is not null) and bonus_tokens >= 0)
) engine = InnoDB;

create table if not exists token_account (
    user_id bigint not null,
    balance bigint not null,
    -- Counts the changes.
    version bigint not null default 0,
    created_at bigint not null,
    updated_at bigint not null,
    constraint token_account_pk primary key (user_id),
    constraint token_account_user foreign key (user_id) references users (id),
    constraint token_account_balance check (balance >= 0)
) engine = InnoDB;

create table if not exists token_ledger (
    id bigint not null auto_increment,
    user_id bigint not null,
    change_type varchar(32) character set ascii collate ascii_bin not null,
    -- What the change belongs to: for a RECHARGE_BONUS its order_no.
    biz_id varchar(64) character set ascii collate ascii_bin not null,
    change_amount bigint not null,
    balance_after bigint not null,
    created_at bigint not null,
    constraint token_ledger_pk primary key (id),
    -- Money is added once, even if everything before this table were bypassed.
    constraint token_ledger_once unique (biz_id, change_type),
    index token_ledger_newest (user_id, id),
    constraint token_ledger_account foreign key (user_id) references token_account (user_id),
    constraint token_ledger_change check (change_amount <> 0),
    constraint token_ledger_balance check (balance_after >= 0)
) engine = InnoDB;

-- The ledger is append-only. (`replace` asks the delete trigger; `truncate` needs the right to drop the table.)
drop trigger if exists token_ledger_no_update;
create trigger token_ledger_no_update before update on token_ledger
    for each row signal sqlstate '45000' set message_text = 'the ledger is append-only: a row is never updated';

drop trigger if exists token_ledger_no_delete;
create trigger token_ledger_no_delete before delete on token_ledger
    for each row signal sqlstate '45000' set message_text = 'the ledger is append-only: a row is never deleted';
