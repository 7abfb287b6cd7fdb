//! What is refused before a launch begins, in whose words, and that memory which nobody touches takes no room.

use sim::{Arg, Launch, Module, Options, simulate};

fn run(declarations: &str, param: &str, inside: &str, options: &Options) -> String {
    // Before 8.1 there were fewer parameters.
    let version = if param.is_empty() { "9.0" } else { "8.0" };
    let ptx = format!(
        ".version {version}\n.target sm_90\n.address_size 64\n{declarations}\n.visible .entry k({param})\n{{\n{inside}\n.reg \
         .b64 %rd<2>;\nret;\n}}\n"
    );
    let module = Module::parse("k.ptx", &ptx).unwrap();
    let args = if param.is_empty() { vec![] } else { vec![Arg::Bytes(vec![0; 5_000])] };
    let launch = Launch { grid: "1".parse().unwrap(), block: "32".parse().unwrap(), shared_bytes: 0, args };
    simulate(&module, "k", &launch, options).map_or_else(|error| error.to_string(), |_| "runs".to_owned())
}

#[test]
fn what_ptxas_refuses_is_refused_in_its_words() {
    let all = Options::default();
    let shared = |bytes: u32| {
        let inside = format!(".shared .align 4 .b8 tile[{bytes}];\n.reg .b32 %r1;\nmov.u32 %r1, tile;");
        run("", "", &inside, &all)
    };
    assert_eq!(shared(48 << 10), "runs");
    assert!(shared(60_000).contains("Entry function 'k' uses too much shared data (0xea60 bytes, 0xc000 max)"));
    let parameters = run("", ".param .align 4 .b8 p[5000]", "", &all);
    assert!(parameters.contains("uses too much parameter space (0x1388 bytes, 0x1100 max)"), "{parameters}");
    // Whether one array is too large for a thread, or two are together.
    let two = ".local .align 4 .b8 a[300000];\n.local .align 4 .b8 b[300000];\n.reg .b64 %a<2>;\nmov.u64 %a0, a;\nmov.u64 %a1, b;";
    for inside in [".local .align 4 .b8 a[900000];\n.reg .b64 %a;\nmov.u64 %a, a;", two] {
        let local = run("", "", inside, &all);
        assert!(local.contains("bytes of local memory"), "{local}");
    }
}

/// Eight gigabytes that nobody touches take no memory, and may be forbidden.
#[test]
fn a_variable_takes_memory_where_it_is_touched() {
    let declaration = ".visible .global .align 4 .b8 g[8000000000];";
    let write = ".reg .b64 %a;\nmov.u64 %a, g;\nst.global.u32 [%a+7999999996], 7;";
    let read = ".reg .b64 %a;\n.reg .b32 %r1;\nmov.u64 %a, g;\nld.global.u32 %r1, [%a+7999999996];\nst.global.u32 [%a], \
                %r1;";
    assert_eq!(run(declaration, "", read, &Options::default()), "runs");
    let limited = Options { memory: Some(256 << 20), ..Options::default() };
    let refused = run(declaration, "", write, &limited);
    assert!(refused.contains("8000000000 in variables of the module"), "{refused}");
}
