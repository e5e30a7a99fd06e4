use super::terminal::Terminal;
use crate::common::{Program, TestDir};

const CONFIG: &str = "\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues: [{name: a}, {name: b}, {name: c}, {name: d}]
";

#[test]
fn what_will_happen_is_shown_and_much_is_confirmed_by_its_number() {
    let dir = TestDir::new();
    let queues = dir.write("queues.yaml", CONFIG);
    let owner = nix::unistd::User::from_uid(nix::unistd::Uid::current()).unwrap().unwrap().name;
    let token = dir.write("token", dir.token(&owner, "x"));
    std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let path = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let server = Program::serve(&["--config", &path(&queues), "--tokens", &path(&dir.tokens())]);
    let (url, token) = (server.url(), path(&token));
    let apply = |text: &str| {
        let file = path(&dir.write("new.yaml", text));
        Terminal::kornsole(&["apply", &file, "--server", &url, "--token-file", &token], &[])
    };
    let in_force = || std::fs::read_to_string(&queues).unwrap();

    let more = CONFIG.replace("{name: d}", "{name: d}, {name: e}");
    let mut no = apply(&more);
    no.until_text("+ root.e");
    no.until_text("apply it? [y/N]");
    no.press("\r");
    no.until_text("not confirmed");
    assert_eq!((no.end().exit_code(), in_force().as_str()), (1, CONFIG));

    let mut wrong = apply("");
    wrong.until_text("root.a will drain");
    wrong.until_text("it is empty and removes 4 of 4 queues");
    wrong.until_text("type the number of removed queues");
    wrong.press("y\r");
    assert_eq!(wrong.end().exit_code(), 1);
    assert_eq!(in_force(), CONFIG);

    let mut yes = apply(&more);
    yes.until_text("[y/N]");
    yes.press("y\r");
    yes.until_text("revision 2 is active");
    assert_eq!((yes.end().exit_code(), in_force()), (0, more));
    let mut typed = apply("");
    typed.until_text("type the number of removed queues");
    typed.press("5\r");
    typed.until_text("revision 3 is active");
    assert_eq!((typed.end().exit_code(), in_force().as_str()), (0, ""));
}
