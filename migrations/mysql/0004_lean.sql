-- Less to write for each order. A person's orders are listed by way of their ledger rows, which have an index. That the
-- person exists is asked once, when their account is made: an order is committed only together with a change of that
-- account, and a ledger row only together with its order.
--
-- Each statement does nothing when it was done before: a migration is no transaction here, and may be repeated.

set @statement = (
    select if(count(*) = 0, 'do 0', 'alter table recharge_order drop foreign key recharge_order_user')
    from information_schema.table_constraints
    where constraint_schema = database() and constraint_name = 'recharge_order_user'
);
prepare step from @statement;
execute step;

set @statement = (
    select if(count(*) = 0, 'do 0', 'alter table token_ledger drop foreign key token_ledger_account')
    from information_schema.table_constraints
    where constraint_schema = database() and constraint_name = 'token_ledger_account'
);
prepare step from @statement;
execute step;

set @statement = (
    select if(count(*) = 0, 'do 0', 'drop index recharge_order_newest on recharge_order')
    from information_schema.statistics
    where table_schema = database() and index_name = 'recharge_order_newest'
);
prepare step from @statement;
execute step;

deallocate prepare step;
