-- Orders, balances and the ledger. Money is whole minor units (cents), tokens are whole: strict tables refuse anything
-- that is not an integer, so that an overflow can never turn into a floating point number.

create table recharge_order (
    -- A UUIDv7 in lower case.
    order_no text not null constraint recharge_order_pk primary key,
    user_id integer not null constraint recharge_order_user references users (id),
    idempotency_key text collate binary not null,
    amount_minor integer not null,
    currency text not null,
    -- 0: recharged synchronously.
    channel integer not null default 0,
    -- 0 PENDING, 1 PAID, 2 COMPLETED; 3 is kept for keys that are voided before anything is paid.
    status integer not null,
    -- Stored when the order completes.
    bonus_tokens integer,
    tier text not null,
    created_at integer not null,
    updated_at integer not null,
    -- The only judge of which request with a key was first.
    constraint recharge_order_key_unique unique (user_id, idempotency_key),
    constraint recharge_order_key_length check (length(idempotency_key) between 1 and 255),
    constraint recharge_order_status check (status between 0 and 3),
    constraint recharge_order_amount check (amount_minor > 0 or (status = 3 and amount_minor = 0)),
    constraint recharge_order_tokens check ((status = 2) = (bonus_tokens is not null) and bonus_tokens >= 0)
) strict, without rowid;

create index recharge_order_newest on recharge_order (user_id, order_no);

create table token_account (
    user_id integer not null constraint token_account_pk primary key constraint token_account_user references users (id),
    balance integer not null,
    -- Counts the changes.
    version integer not null default 0,
    created_at integer not null,
    updated_at integer not null,
    constraint token_account_balance check (balance >= 0)
) strict;

create table token_ledger (
    id integer not null constraint token_ledger_pk primary key autoincrement,
    user_id integer not null constraint token_ledger_account references token_account (user_id),
    change_type text not null,
    -- What the change belongs to: for a RECHARGE_BONUS its order_no.
    biz_id text not null,
    change_amount integer not null,
    balance_after integer not null,
    created_at integer not null,
    -- Money is added once, even if everything before this table were bypassed.
    constraint token_ledger_once unique (biz_id, change_type),
    constraint token_ledger_change check (change_amount <> 0),
    constraint token_ledger_balance check (balance_after >= 0)
) strict;

create index token_ledger_newest on token_ledger (user_id, id);

-- The ledger is append-only. The third trigger closes the way around the second: SQLite's "insert or replace" removes
-- the old row without asking a delete trigger.
create trigger token_ledger_no_update before update on token_ledger
begin
    select raise(abort, 'the ledger is append-only: a row is never updated');
end;

create trigger token_ledger_no_delete before delete on token_ledger
begin
    select raise(abort, 'the ledger is append-only: a row is never deleted');
end;

create trigger token_ledger_no_replace before insert on token_ledger
when exists (select 1 from token_ledger where id = new.id)
    or exists (select 1 from token_ledger where biz_id = new.biz_id and change_type = new.change_type)
begin
    select raise(abort, 'the ledger is append-only: a row is never replaced');
end;
