-- Orders, balances and the ledger. Money is whole minor units (cents), tokens are whole: bigint refuses an overflow.

-- Half of each page is left free: an order is updated twice right after it is inserted, and finds room for its new
-- versions in its own page, without touching an index.
create table recharge_order (
    -- A UUIDv7 in lower case.
    order_no text collate "C" not null constraint recharge_order_pk primary key,
    user_id bigint not null constraint recharge_order_user references users (id),
    idempotency_key text collate "C" not null,
    amount_minor bigint not null,
    currency text not null,
    -- 0: recharged synchronously.
    channel bigint not null default 0,
    -- 0 PENDING, 1 PAID, 2 COMPLETED; 3 is kept for keys that are voided before anything is paid.
    status bigint not null,
    -- Stored when the order completes.
    bonus_tokens bigint,
    tier text not null,
    created_at bigint not null,
    updated_at bigint not null,
    -- The only judge of which request with a key was first.
    constraint recharge_order_key_unique unique (user_id, idempotency_key),
    constraint recharge_order_key_length check (length(idempotency_key) between 1 and 255),
    constraint recharge_order_status check (status between 0 and 3),
    constraint recharge_order_amount check (amount_minor > 0 or (status = 3 and amount_minor = 0)),
    constraint recharge_order_tokens check ((status = 2) = (bonus_tokens is not null) and bonus_tokens >= 0)
) with (fillfactor = 40);

create index recharge_order_newest on recharge_order (user_id, order_no);

create table token_account (
    user_id bigint not null constraint token_account_pk primary key constraint token_account_user references users (id),
    balance bigint not null,
    -- Counts the changes.
    version bigint not null default 0,
    created_at bigint not null,
    updated_at bigint not null,
    constraint token_account_balance check (balance >= 0)
) with (fillfactor = 60);

create table token_ledger (
    id bigint generated always as identity constraint token_ledger_pk primary key,
    user_id bigint not null constraint token_ledger_account references token_account (user_id),
    change_type text collate "C" not null,
    -- What the change belongs to: for a RECHARGE_BONUS its order_no.
    biz_id text collate "C" not null,
    change_amount bigint not null,
    balance_after bigint not null,
    created_at bigint not null,
    -- Money is added once, even if everything before this table were bypassed.
    constraint token_ledger_once unique (biz_id, change_type),
    constraint token_ledger_change check (change_amount <> 0),
    constraint token_ledger_balance check (balance_after >= 0)
);

create index token_ledger_newest on token_ledger (user_id, id);

-- The ledger is append-only.
create function token_ledger_is_append_only() returns trigger language plpgsql as $$
begin
    raise exception 'the ledger is append-only: a row is never changed or removed';
end
$$;

create trigger token_ledger_no_update before update on token_ledger
    for each row execute function token_ledger_is_append_only();
create trigger token_ledger_no_delete before delete on token_ledger
    for each row execute function token_ledger_is_append_only();
create trigger token_ledger_no_truncate before truncate on token_ledger
    for each statement execute function token_ledger_is_append_only();
