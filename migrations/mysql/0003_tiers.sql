-- The rates: how many tokens a currency unit buys, from a minimum amount up. Read again for every recharge, so a change
-- applies at once; orders that stand keep what they were granted.

create table if not exists bonus_tier (
    id bigint not null auto_increment,
    name varchar(100) character set utf8mb4 collate utf8mb4_bin not null,
    min_amount_minor bigint not null,
    tokens_per_unit bigint not null,
    constraint bonus_tier_pk primary key (id),
    constraint bonus_tier_min_unique unique (min_amount_minor),
    constraint bonus_tier_min check (min_amount_minor >= 0),
    constraint bonus_tier_rate check (tokens_per_unit > 0)
) engine = InnoDB;

insert into bonus_tier (name, min_amount_minor, tokens_per_unit)
values ('Low', 100, 100), ('Mid', 5000, 105), ('High', 20000, 110), ('Super', 100000, 120)
on duplicate key update id = id;
