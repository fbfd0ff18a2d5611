-- An index less to write for each order: a person's orders are listed by way of their ledger rows, which have one.

drop index recharge_order_newest;
