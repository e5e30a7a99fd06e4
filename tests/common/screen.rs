use console::Driver;

#[track_caller]
pub fn shows(driver: &Driver, text: &str) {
    assert!(driver.find_row(text).is_some(), "no {text:?} in\n{}", driver.screen_text());
}

#[track_caller]
pub fn shows_not(driver: &Driver, text: &str) {
    assert!(driver.find_row(text).is_none(), "{text:?} in\n{}", driver.screen_text());
}
