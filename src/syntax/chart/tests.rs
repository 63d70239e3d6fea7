//! A diagram means what the same chart means when it is written in the language.

use super::read_chart;
use crate::diagnostic::Diagnostic;
use crate::tree::{ChartMember, Item};
use crate::{FileId, Sources};

fn read(text: &str) -> Vec<ChartMember> {
    let (members, errors) = read_chart(FileId(0), text);
    assert!(errors.is_empty(), "{errors:#?}");
    members
}

/// A chart as it is written in the language.
fn written(body: &str) -> Vec<ChartMember> {
    let (sources, errors) = Sources::from_text("a.tw", &format!("msc c for m {{ {body} }}"));
    assert!(errors.is_empty(), "{errors:#?}");
    match &sources.files()[0].tree.items[..] {
        [Item::Chart(chart)] => chart.members.clone(),
        other => panic!("{other:?}"),
    }
}

fn mermaid(lines: &str, body: &str) {
    assert_eq!(read(&format!("sequenceDiagram\n{lines}\n")), written(body));
}

fn plantuml(lines: &str, body: &str) {
    assert_eq!(read(&format!("@startuml\n{lines}\n@enduml\n")), written(body));
}

/// `line:column code` of every error.
fn wrong(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let id = sources.add_fragment("a", text);
    let place = |error: &Diagnostic| {
        let (line, column) = sources.position(error.span);
        format!("{line}:{column} {}", error.code)
    };
    read_chart(id, text).1.iter().map(place).collect()
}

#[test]
fn messages_carry_data() {
    let body = "lifeline env, b, t  env -> b : interval(3)  b -> t : set(n)  t -> b : timeout  b -> t : set(3 + n)
        b -> t : ask(_, \"a;b#\"): true";
    mermaid(
        "participant env as Environment\n participant b\n actor t as The timer\n env->>b: interval(3)\n b-->>+t: set(n)\n \
         t-)-b: timeout\n b->t: set = 3 + n; b-xt: ask(_, \"a#59;b#35;\"): true",
        body,
    );
    plantuml(
        "actor \"Environment\" as env\nparticipant b #red\nparticipant t as \"The timer\" order 3\nenv -> b : interval(3)\n\
         b -[#blue,bold]->> t ++ : set(n)\nb <-- t -- : timeout\nb ->x t #gold : set = 3 + n\nt x<- b : ask(_, \"a;b<U+0023>\"): true",
        body,
    );
}

#[test]
fn notes_are_states_transitions_conditions_and_steps() {
    let body = "lifeline b, t  b in Off  t in Wait  b fires start  when n > 3  tick  any  b in On  tick  ref Other(3)";
    mermaid(
        "Note over b: Off\nNote right of t: state Wait\nNote left of b: fires start\nNote over b,t: [n > 3]\n\
         Note over b,t: tick\nNote over b: ...\nNote over b: a longer remark\nNote over t: b in On\nNote over b,t: tick 7\n\
         Note over b: ref Other(3)",
        body,
    );
    plantuml(
        "hnote over b : Off\nnote right of t : in Wait\nrnote over b\nfires start\nendrnote\nnote over b, t : when n > 3\n\
         == tick ==\n...\n== Something else ==\nnote across : b in On\n/ note over b, t #red : tick 2\nref over b, t : Other(3)",
        body,
    );
}

#[test]
fn blocks_are_blocks() {
    let body = "lifeline a, b
        alt { when x > 0  a -> b : m } or { a -> b : n } or { }
        opt { a -> b : m } loop { a -> b : m } loop 3 { a -> b : m } loop 2..5 { a -> b : m } loop k { a -> b : m }
        par { a -> b : m } and { b -> a : n }
        not { a -> b : m } exactly { a -> b : m } among others { a -> b : m }
        alt { a -> b : m } or { a -> b : n }
        a -> b : m";
    mermaid(
        "alt [x > 0]\na->>b: m\nelse it is not\na->>b: n\nelse\nend\nopt perhaps\na->>b: m\nend\nloop every minute\na->>b: m\nend\n\
         loop 3\na->>b: m\nend\nloop 2..5\na->>b: m\nend\nloop k times\na->>b: m\nend\npar one\na->>b: m\nand two\nb->>a: n\nend\n\
         critical not\na->>b: m\nend\ncritical exactly\na->>b: m\nend\ncritical among others\na->>b: m\nend\n\
         critical one\na->>b: m\noption other\na->>b: n\nend\nrect rgb(1,2,3)\na->>b: m\nend",
        body,
    );
    plantuml(
        "alt when x > 0\na -> b : m\nelse it is not\na -> b : n\nelse\nend\nopt perhaps\na -> b : m\nend\nloop every minute\n\
         a -> b : m\nend\nloop 3 times\na -> b : m\nend loop\nloop 2..5\na -> b : m\nend\nloop k times\na -> b : m\nend\n\
         par\na -> b : m\nelse\nb -> a : n\nend\ngroup not\na -> b : m\nend\ngroup exactly\na -> b : m\nend\n\
         group among others\na -> b : m\nend\ncritical\na -> b : m\nelse\na -> b : n\nend\ngroup Only a name\na -> b : m\nend",
        body,
    );
}

#[test]
fn a_break_happens_instead_of_what_follows() {
    let body = "lifeline a, b  a -> b : m  alt { a -> b : n } or { b -> a : m  alt { a -> b : k } or { b -> a : n } }";
    let lines = "a->>b: m\nbreak no\na->>b: n\nend\nb->>a: m\nbreak no\na->>b: k\nend\nb->>a: n";
    mermaid(lines, body);
    plantuml(&lines.replace("->>", " -> "), body);
}

#[test]
fn comments_say_how_a_chart_is_read() {
    let body = "exactly  global order  some n: Int  some k  lifeline env, one[2].b  env -> one[2].b : m(n, k)";
    mermaid(
        "%% a comment\n%% exactly\n%% global order\n%% some n: Int\n%% some k\nu->>p: m(n, k)\n%% lifeline u is env\n\
         %% lifeline p is one[2].b",
        body,
    );
    plantuml(
        "' exactly\n/' anything\nat all '/ ' global order\n' some n: Int\n' some k\n' lifeline p is one[2].b\n[-> p : m(n, k)",
        body,
    );
}

#[test]
fn comments_are_told_apart_from_remarks() {
    // A mark at the beginning of the file, more than one space, and a sentence that begins like a directive.
    let body = "exactly  some k  lifeline env, one[2].b  env -> one[2].b : m(k)";
    let mermaid = "\u{feff}%% exactly\nsequenceDiagram\n%%  some  remarks\n%% some k\n%%\tlifeline  p\tis  one[2].b\nenv->>p: m(k)\n";
    assert_eq!(read(mermaid), written(body));
    let plantuml =
        "\u{feff}' exactly\n@startuml\n' some remarks\n' some k\n'lifeline  p  is  one[2].b\n[-> p : m(k)\n@enduml\n";
    assert_eq!(read(plantuml), written(body));
    let counted = read("sequenceDiagram\nloop k times\nenv->>b: m\nend\n%% some k\n");
    assert_eq!(counted, written("some k  lifeline env, b  loop k { env -> b : m }"));
}

#[test]
fn words_of_the_diagram_are_lifelines_where_they_say_something() {
    let body = "lifeline title, a, end, alt  title -> a : x(3)  a -> end : m  alt -> a : m";
    mermaid("title ->> a: x(3)\na->>end: m\nalt ->>+ a: m\ntitle --> see below\ntitle -x: y", body);
    plantuml("title -> a : x(3)\na -> end : m\nalt ->> a : m\ntitle -- see below", body);
    let body = "lifeline a, b  loop { a -> b : m }  alt { a -> b : m } or { a -> b : n }";
    plantuml(
        "loop ... until done\na -> b : m\nend\nalt -- first\na -> b : m\nelse -- otherwise\na -> b : n\nend alt",
        body,
    );
}

#[test]
fn loops_are_counted_by_sums() {
    let body = "lifeline a, b  loop (k + 1) { a -> b : m }  loop (k)..5 { a -> b : m }  loop (k) * 2 { a -> b : m }";
    let lines = "loop (k + 1) times\na->>b: m\nend\nloop (k)..5\na->>b: m\nend\nloop (k) * 2 times\na->>b: m\nend";
    mermaid(lines, body);
    plantuml(&lines.replace("->>", " -> "), body);
}

#[test]
fn layout_has_no_meaning() {
    let body = "lifeline a, b  a -> b : m";
    mermaid(
        "title Nice\naccTitle: Nice\naccDescr { two\nlines }\nautonumber 10\nbox Aqua Group\nparticipant a\nparticipant b@{ \"type\": \"queue\" }\nend\n\
         activate a\na->>b: m\ndeactivate a\nlink a: x @ https://example.org\nlinks a: {\"x\": \"y\"}",
        body,
    );
    assert_eq!(
        read("---\ntitle: x\n---\n%%{init: {\n}}%%\n%% hello\nsequenceDiagram\na->>b: m\n"),
        read("sequenceDiagram\na->>b: m")
    );
    plantuml(
        "title\nNice\nend title\nskinparam monochrome true\nskinparam sequence {\n  A {\n  x\n  }\n}\n<style>\nx\n</style>\nhide footbox\n\
         autonumber 1\nbox \"x\" #red\nparticipant a\ncollections b <<x>>\nend box\nactivate a\na -> b : m\ndeactivate a\n|||\n||45||\n\
         legend right\nx\nendlegend\nnewpage\n!theme plain",
        body,
    );
}

#[test]
fn an_answer_goes_back() {
    plantuml(
        "a -> b ++ : m(3)\nb -> c : n\nactivate c\nreturn k\nreturn x = 3",
        "lifeline a, b, c  a -> b : m(3)  b -> c : n  c -> b : k  b -> a : x(3)",
    );
}

#[test]
fn what_has_no_meaning_has_a_place() {
    assert_eq!(wrong("graph TD\n"), ["1:1 E0017"]);
    assert_eq!(wrong(""), ["1:1 E0017"]);
    assert_eq!(wrong("sequenceDiagram\n  a->>b\n"), ["2:3 E0021"]);
    assert_eq!(wrong("sequenceDiagram\n  a->>b: set(5\n  a->>b: set(5))\n"), ["2:15 E0022", "3:16 E0001"]);
    assert_eq!(wrong("sequenceDiagram\n  a->>b: set the timer\n"), ["2:10 E0021"]);
    assert_eq!(wrong("sequenceDiagram\n  a->>b: m } msc x for y { a -> b : n\n"), ["2:3 E0021"]);
    assert_eq!(wrong("sequenceDiagram\n  a->>b: m // no\n"), ["2:12 E0001"]);
    assert_eq!(wrong("sequenceDiagram\n  hello world\n  create participant x\n"), ["2:3 E0018", "3:3 E0019"]);
    assert_eq!(wrong("sequenceDiagram\n  alt x\n  a->>b: m\n"), ["2:3 E0020"]);
    assert_eq!(wrong("sequenceDiagram\n  end\n  else\n"), ["2:3 E0020", "3:3 E0020"]);
    assert_eq!(wrong("sequenceDiagram\n  loop 2...5\n  end\n"), ["2:9 E0001"]);
    assert_eq!(wrong("sequenceDiagram\n  a b->>c: m\n  a<<->>b: m"), ["2:3 E0023", "3:4 E0019"]);
    assert_eq!(wrong("sequenceDiagram\n  loop\n  break\n  end\n  end\n"), ["3:3 E0019"]);
    assert_eq!(wrong("sequenceDiagram\n  a->>b: x =\n"), ["2:12 E0001"]);
    assert_eq!(wrong("sequenceDiagram\n  %% lifeline p is\n  a->>p: m\n"), ["2:6 E0023"]);
    assert_eq!(wrong("@startuml\na -> b : m\n"), ["1:1 E0020"]);
    assert_eq!(
        wrong("@startuml\na <-> b : m\nreturn x\n!include x\n@enduml\n"),
        ["2:1 E0019", "3:1 E0020", "4:1 E0019"]
    );
    assert_eq!(wrong("@startuml\nnote over a\nOff\n@enduml\n"), ["2:1 E0020"]);
    // Only its own word closes a block, and only a line of its own.
    assert_eq!(wrong("@startuml\nalt\na -> b : m\nend note\nendbox\nend alt\n@enduml\n"), ["4:1 E0020", "5:1 E0020"]);
    assert_eq!(
        wrong("@startuml\n/ / note over a : m\na <-> b : m\na -- b\n@enduml\n"),
        ["2:3 E0018", "3:1 E0019", "4:1 E0019"]
    );
    assert_eq!(wrong("@startuml\n@enduml\n@startuml\n@enduml\n"), ["3:1 E0019"]);
}

/// The least that is random and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

#[test]
fn whatever_is_changed_gives_a_tree_or_an_error_in_the_file() {
    const SOUND: [&str; 2] = [
        "sequenceDiagram\n  participant b as B\n  %% some n: Int\n  b->>+t: set(n, \"x#59;\")\n  alt [n > 3]\n  Note over b,t: tick\n  \
         else\n  Note right of b: Off\n  end\n  loop 2..5\n  t-->>-b: timeout(true): r\n  break x\n end\n critical not\n end\n end\n",
        "@startuml\n' exactly\nparticipant \"B\" as b\nb -[#red]> t ++ : set(n, \"<U+0041>\")\nalt [n > 3]\nhnote over b, t : tick\nelse\n\
         note left\nOff\nend note\nend\nloop 2..5\nreturn timeout\nend\n== tick ==\n... x ...\nref over b : Other(3)\n[-> b : x = 3\n@enduml\n",
    ];
    const ODD: [&str; 24] = [
        "end\n",
        "\n",
        ":",
        ";",
        "#",
        "\"",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "->",
        "->>",
        "é",
        "\u{0}",
        "alt ",
        "'",
        "/'",
        "%%",
        "\\",
        "<U+",
        "note over",
        "@enduml",
    ];
    let mut random = Random(7);
    for round in 0..6_000 {
        let mut text = SOUND[round % 2].to_owned();
        for _ in 0..=random.below(4) {
            let borders: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            let (a, b) = (borders[random.below(borders.len())], borders[random.below(borders.len())]);
            match random.below(3) {
                0 => text.insert_str(a, ODD[random.below(ODD.len())]),
                1 => text.replace_range(a.min(b)..a.max(b).min(a.min(b) + 9).max(a.min(b)), ""),
                _ => {
                    let copy = text[a.min(b)..a.max(b)].to_owned();
                    text.insert_str(a, &copy);
                }
            }
        }
        let (_, errors) = read_chart(FileId(0), &text);
        for error in errors {
            let (start, end) = (error.span.start as usize, error.span.end as usize);
            assert!(start <= end && end <= text.len(), "{error:?} in {text:?}");
            assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{error:?} in {text:?}");
        }
    }
}
