//! 简体中文的句子。 The sentences in Simplified Chinese.

use super::Words;
#[cfg(feature = "ssr")]
use super::{PageWords, SignProblem};
use crate::intent::How;
use crate::problem::Problem;

pub(super) static WORDS: Words = Words {
    your_balance: "您的余额",
    tokens: " 代币",
    recharge_tokens: "充值代币",
    amount: |currency| format!("金额（{currency}）"),
    limits: |min, max| format!("最低 {min}，最高 {max}。"),
    common_amounts: "常用金额",
    enter_amount: "输入金额，即可看到能获得多少代币。",
    no_tokens: "此金额无法获得代币。",
    next_tier: |missing, tier, rate, unit| format!("再充 {missing} 即可升至“{tier}”档（每 {unit} 得 {rate} 代币）。"),
    recharge: "充值",
    recharging: "正在充值…",
    try_again: "重试",
    discard: "放弃",
    sign_in_and_go_on: "登录并继续",
    check_the_amount: "请检查金额",
    amount_malformed: "请用数字输入金额，小数点后为分，例如 50 或 49.99；不要空格、逗号或符号。",
    amount_too_small: |min| format!("最低金额为 {min}。"),
    amount_too_large: |max| format!("最高金额为 {max}。"),
    refused,
    in_flight: "正在充值，请稍候。",
    still_waiting: "所需时间比平时长。请不要关闭页面；您不会被重复扣款。",
    open,
    waiting,
    asking: |amount| format!("正在查询您的 {amount} 充值结果。"),
    discarding: "正在放弃，请稍候。",
    discarded: |amount| format!("您的 {amount} 充值已放弃：未扣款，以后也不会扣款。"),
    discarding_first: |amount| format!("先确认您的 {amount} 充值结果，请稍候。"),
    discarded_first: |amount| format!("您的 {amount} 充值已放弃，未扣款。"),
    succeeded,
    receipt: "收据",
    paid: "支付金额",
    credited: "到账",
    tier: "档位",
    time: "支付时间",
    order: "订单号",
    print: "打印",
    last_recharges: "最近充值",
    not_yet: "您还没有充值过。",
    whole_history: "全部记录",
    tier_names: [("Low", "初级"), ("Mid", "中级"), ("High", "高级"), ("Super", "超级")],
};

fn refused(problem: Problem) -> &'static str {
    match problem {
        Problem::NoTier => "此金额没有对应的档位，无法获得代币。未扣款。",
        Problem::BalanceLimit => "账户无法再容纳这么多代币。未扣款。",
        Problem::NotYours => "现在登录的是另一个账户。未扣款。请刷新页面。",
        Problem::KeyReused => {
            "之前一笔不同金额的充值已经成功，可在最近充值中查看。本次未扣款。如需再充此金额，请再按一次充值。"
        }
        Problem::KeyVoided => "这笔充值已放弃，未扣款。如需充值，请再按一次充值。",
        _ => "请求被拒绝，未扣款。请刷新页面后再试。",
    }
}

fn open(problem: Option<Problem>, amount: &str, time: &str) -> String {
    match problem {
        None => format!("您于 {time} 发起的 {amount} 充值尚无结果。请重试或放弃：无论选择哪种，最多只会扣款一次。"),
        Some(Problem::NotSignedIn) => "您的登录已失效。请登录并继续：您不会被重复扣款。".to_owned(),
        Some(Problem::TwinRunning) => "您的充值仍在处理中。请稍后重试：您不会被重复扣款。".to_owned(),
        Some(Problem::Busy) => "系统繁忙，未扣款。请稍后重试。".to_owned(),
        Some(_) => "我们无法确认结果。请重试，您不会被重复扣款。".to_owned(),
    }
}

fn waiting(problem: Problem, offline: bool) -> &'static str {
    match problem {
        _ if offline => "网络已断开。恢复后会自动继续；您不会被重复扣款。",
        Problem::Busy => "系统繁忙，尚未扣款。稍后会自动重试。",
        Problem::TwinRunning => "您的充值仍在处理中。稍后会再次查询。",
        _ => "暂时无法确认结果。正在自动重试，您不会被重复扣款。",
    }
}

fn succeeded(tokens: &str, amount: &str, how: How) -> String {
    match how {
        How::Sent => format!("充值成功：已增加 {tokens} 代币。"),
        How::Repeated => format!("充值成功：{tokens} 代币。这笔充值此前已经完成，没有再次扣款。"),
        How::Resumed => format!("您的 {amount} 充值已成功：已增加 {tokens} 代币。"),
        How::NotDiscarded => format!("您的 {amount} 充值在放弃之前已经成功：已增加 {tokens} 代币。"),
        How::BeforeOther => {
            format!(
                "您之前的 {amount} 充值已经成功：已增加 {tokens} 代币。没有其他扣款。如需再充另一金额，请再按一次充值。"
            )
        }
        How::Elsewhere => format!("已在另一个标签页充值：已增加 {tokens} 代币。"),
    }
}

#[cfg(feature = "ssr")]
pub(super) static PAGE_WORDS: PageWords = PageWords {
    description: "充值代币，每次确认支付只扣款一次。",
    skip: "跳到内容",
    main_navigation: "主导航",
    recharge: "充值",
    history: "记录",
    sign_in: "登录",
    sign_up: "注册",
    sign_out: "退出登录",
    change_language: "切换为中文",
    sign_in_first: "请登录以继续。",
    email: "电子邮箱",
    password: "密码",
    password_hint: "8 到 128 个字符。",
    no_account_yet: "还没有账户？注册",
    have_account: "已有账户？登录",
    sign_problem: |problem| match problem {
        SignProblem::Email => "请输入电子邮箱，例如 name@example.com。",
        SignProblem::Password => "请设置 8 到 128 个字符的密码。",
        SignProblem::Taken => "此电子邮箱已有账户，请直接登录。",
        SignProblem::Credentials => "电子邮箱或密码不正确。请检查后重试。",
    },
    rates: "兑换比例",
    from: "起始金额",
    tokens_per: |unit| format!("每 {unit} 所得代币"),
    orders: "订单",
    no_orders: "暂无订单。",
    older_orders: "更早的订单",
    ledger: "余额明细",
    ledger_hint: "余额的每一次变动。余额就是全部变动的总和。",
    no_changes: "暂无变动。",
    older_changes: "更早的变动",
    tokens: "代币",
    change: "变动",
    balance: "余额",
    why: "类型",
    belongs_to: "关联订单",
    by_recharge: "充值",
    problems: "问题说明",
    title,
    explanation,
    key_kept: "密钥仍然有效：请用同一密钥再次发送。",
    key_replaced: "对这次发送的请求，此答复是最终的。",
    http_status: "HTTP 状态码",
    to_recharge: "前往充值页面",
};

#[cfg(feature = "ssr")]
fn title(problem: Problem) -> &'static str {
    match problem {
        Problem::AmountMalformed => "无法识别金额",
        Problem::AmountTooSmall => "金额过小",
        Problem::AmountTooLarge => "金额过大",
        Problem::KeyMissing => "缺少幂等密钥",
        Problem::KeyMalformed => "幂等密钥格式不正确",
        Problem::KeyTwice => "幂等密钥发送了两次",
        Problem::BodyMalformed => "无法识别请求",
        Problem::NotSignedIn => "尚未登录",
        Problem::NotYours => "这是另一个人的账户",
        Problem::ForeignOrigin => "请求来自另一个网站",
        Problem::NotFound => "这里没有内容",
        Problem::MethodNotAllowed => "此处不支持这种操作",
        Problem::BodyTooLarge => "请求过长",
        Problem::KeyReused => "此密钥已用于另一金额",
        Problem::KeyVoided => "此密钥已作废",
        Problem::KeyUsed => "此密钥已使用",
        Problem::KeyUnused => "此密钥下没有记录",
        Problem::NoTier => "没有适用的档位",
        Problem::BalanceLimit => "余额已满",
        Problem::TwinRunning => "仍在处理中",
        Problem::Busy => "系统繁忙",
        Problem::OutcomeUnknown => "尚未确认",
        Problem::Internal => "我们这里出了问题",
    }
}

#[cfg(feature = "ssr")]
fn explanation(problem: Problem) -> &'static str {
    match problem {
        Problem::AmountMalformed => {
            "金额由数字组成，可带小数点和一到两位小数；不要符号、空格、逗号或指数。没有保存任何内容；请改正金额后重新发送。"
        }
        Problem::AmountTooSmall => "金额低于可接受的最低金额。没有保存任何内容；请发送更大的金额。",
        Problem::AmountTooLarge => "金额高于可接受的最高金额。没有保存任何内容；请发送更小的金额。",
        Problem::KeyMissing => {
            "请发送幂等密钥：放在正文的 idempotentKey 中，或放在 Idempotency-Key 标头中。每个支付决定使用一个密钥，重试时使用同一密钥。没有保存任何内容。"
        }
        Problem::KeyMalformed => "幂等密钥为 1 到 255 个可见 ASCII 字符（0x21 到 0x7E）。没有保存任何内容。",
        Problem::KeyTwice => "幂等密钥只能发送一次：放在正文中，或放在一个标头中。没有保存任何内容。",
        Problem::BodyMalformed => "正文不是此地址所接受的内容。没有保存任何内容。",
        Problem::NotSignedIn => "请登录后用同一密钥再次发送同一请求。没有保存任何内容。",
        Problem::NotYours => "此请求针对的账户不是当前登录的账户。未扣款。请刷新页面，查看显示的是谁的账户。",
        Problem::ForeignOrigin => "另一个网站的页面以您的名义发送了此请求，因此被拒绝。没有保存任何内容。",
        Problem::NotFound => "此地址没有页面，也没有其他内容。",
        Problem::MethodNotAllowed => "此地址存在，但不支持这种方法。",
        Problem::BodyTooLarge => "本程序的任何请求都不需要这么长的正文。没有保存任何内容。",
        Problem::KeyReused => {
            "使用此密钥的一笔不同金额的充值已经成功并有效。本次未扣款。如需再次支付，请用新密钥发起新的充值。"
        }
        Problem::KeyVoided => "这笔充值已放弃：未扣款，此密钥以后也不会扣款。如需支付，请用新密钥发起新的充值。",
        Problem::KeyUsed => "使用此密钥的充值已经成功，因此无法作废。请查询此密钥以查看订单。",
        Problem::KeyUnused => "此密钥下目前没有充值。仍在途中的请求可能改变这一点；如需排除，请将密钥作废。",
        Problem::NoTier => "此金额没有对应的档位，无法获得代币。未扣款。",
        Problem::BalanceLimit => "账户无法再容纳这么多代币。未扣款。",
        Problem::TwinRunning => "使用此密钥的较早请求仍在处理中。请稍后用同一密钥重试：您不会被重复扣款。",
        Problem::Busy => "未扣款。请稍后用同一密钥重试。",
        Problem::OutcomeUnknown => "我们无法确认结果。请用同一密钥重试：您不会被重复扣款。",
        Problem::Internal => "这是我们的错误。请用同一密钥重试：您不会被重复扣款。",
    }
}
