//! What `--help` shows at its end: commands to try, which run in the folder of the project.

macro_rules! examples {
    ($($name:ident: $($line:literal),+;)+) => {
        $(pub const $name: &str = concat!("Examples:", $("\n  tracewright ", $line),+);)+
    };
}

examples! {
    CHECK: "check examples/blinker.tw", "check examples/blinker.tw --property ring_after_set";
    GEN: "gen examples/blinker.tw -p order", "gen examples/blinker.tw -p 'off_at(7)' --format chart";
    COVER: "cover examples/quiescence.tw#Spec --of transitions", "cover examples/blinker.tw#Timer --of pairs --minimise steps";
    SIMULATE: "simulate examples/blinker.tw --inputs examples/blinker_interval1.json", "simulate examples/supplier.tw --steps 5 --seed 3";
    EXPLORE: "explore examples/counter.tw", "explore examples/blinker.tw#Timer --values set=0..2 --dot";
    CONFORM: "conform examples/quiescence.tw#Right examples/quiescence.tw#Spec";
    REPLAY: "replay examples/blinker.tw#Timer examples/timer_rings.json", "replay examples/blinker.tw#Timer examples/timer_rings.json --format junit";
    MONITOR: "monitor examples/blinker.tw#Timer examples/timer_rings.json --purpose ring_after_set";
    KEEP: "keep examples/blinker.tw#Timer examples/timer_rings.json", "keep examples/blinker.tw#Timer examples/timer_rings.json --out kept";
    FMT: "fmt --check examples/blinker.tw";
    EXPLAIN: "explain E0201";
    COMPLETIONS: "completions bash";
    MAN: "man", "man gen";
}
