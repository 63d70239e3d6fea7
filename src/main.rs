//! The command line.
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let (s, e) = tracewright::syntax::load(&path);
    for d in &e {
        println!("{} {:?} {}", d.code, s.position(d.span), d.message);
        println!("   {:?}", d.help);
    }
    println!("{}", s.files().iter().map(|f| f.tree.items.len()).sum::<usize>());
}
