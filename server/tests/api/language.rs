//! The language of the pages: what the browser asks for, what the person chose, and what programs are told.

use reqwest::header::{ACCEPT_LANGUAGE, REFERER};

use crate::app::{On, TestApp};

async fn chinese(person: &crate::app::Person, url: &str) -> bool {
    let page = person.client.get(url).header(ACCEPT_LANGUAGE, "zh-CN,zh;q=0.9,en;q=0.8").send().await.unwrap();
    let text = page.text().await.unwrap();
    let (chinese, english) = (text.contains("<html lang=\"zh-Hans\">"), text.contains("<html lang=\"en\">"));
    assert!(chinese != english, "{text}");
    chinese
}

#[tokio::test]
async fn a_page_speaks_the_language_that_the_browser_asks_for_until_another_one_is_chosen() {
    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("reader").await;
    person.recharge("50", "k").await;
    for path in ["/", "/history", "/problems", "/problems/busy", "/nothing-here", "/sign-in", "/sign-up"] {
        assert!(chinese(&person, &format!("{}{path}", app.url)).await, "{path}");
    }
    let page = person.client.get(&app.url).header(ACCEPT_LANGUAGE, "zh").send().await.unwrap().text().await.unwrap();
    for words in ["您的余额", "US$50.00", "年", "中级"] {
        assert!(page.contains(words), "{words}");
    }

    let choose = |language: &str, from: &str| {
        let form = [("language", language)];
        person.client.post(format!("{}/language", app.url)).header(REFERER, from).form(&form).send()
    };
    let chosen = choose("en", &format!("{}/history?orders_before=5", app.url)).await.unwrap();
    let back = (chosen.status().as_u16(), chosen.headers()["location"].to_str().unwrap());
    assert_eq!(back, (303, "/history?orders_before=5"));
    assert!(!chinese(&person, &app.url).await, "the choice is remembered");
    let chosen = choose("zh-Hans", "https://evil.example//evil.example/x").await.unwrap();
    assert_eq!(chosen.headers()["location"], "/", "never to another site");
    assert!(chinese(&person, &app.url).await);
    assert_eq!(choose("tlh", &app.url).await.unwrap().status(), 400);
}

#[tokio::test]
async fn the_answers_to_the_page_speak_its_language_and_those_to_programs_english() {
    let app = TestApp::start(On::Sqlite).await;
    let person = app.person("reader").await;
    let recharged = person.page("50", "k").header(ACCEPT_LANGUAGE, "zh").send().await.unwrap();
    assert!(recharged.text().await.unwrap().contains("年"));
    let refused = person.sync("0", "k2").header(ACCEPT_LANGUAGE, "zh").send().await.unwrap();
    assert!(refused.text().await.unwrap().contains("The smallest amount is $1.00."));
}

#[tokio::test]
async fn the_cookies_of_other_programs_stand_in_no_ones_way() {
    let app = TestApp::start(On::Sqlite).await;
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let form = [("email", "cookie@example.com"), ("password", "correct horse")];
    let signed_up = client.post(format!("{}/sign-up", app.url)).form(&form).send().await.unwrap();
    let session = signed_up.headers()["set-cookie"].to_str().unwrap().split_once(';').unwrap().0.to_owned();
    let cookies = format!("other=\u{e9}\u{4e2d}; {session}; recharge_language=zh-Hans");
    let cookies = reqwest::header::HeaderValue::from_bytes(cookies.as_bytes()).unwrap();
    let page = client.get(&app.url).header("cookie", cookies).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("cookie@example.com"));
    let page = client.get(format!("{}/history", app.url)).header("cookie", "x").send().await.unwrap();
    assert_eq!(page.status(), 303);
}
