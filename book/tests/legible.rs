//! Coloured code can be read in both themes: every colour that code gets has a contrast of at least 4.5 to 1 against the
//! ground of code (WCAG 2, level AA).

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use book::site::build_with;
use common::Fake;

/// Classes that `theme/code.js` and C++ give to code.
const CLASSES: [&str; 12] = [
    "keyword", "built_in", "type", "number", "comment", "string", "meta", "variable", "symbol", "title", "params",
    "literal",
];

/// The colours of a style sheet by class, `color` and `background` as `#rrggbb`; later rules win, as in a browser.
fn colours(css: &str, key: &str) -> BTreeMap<String, String> {
    let mut colours = BTreeMap::new();
    let without_comments: String = css.split("/*").map(|part| part.rsplit("*/").next().unwrap_or(part)).collect();
    for rule in without_comments.split('}') {
        let Some((selectors, body)) = rule.split_once('{') else { continue };
        let value = body.split(';').filter_map(|line| line.split_once(':')).find(|(own, _)| own.trim() == key);
        let Some((_, value)) = value else { continue };
        for selector in selectors.split(',') {
            // Only what holds for every language: the theme's name may stand before the class.
            let parts: Vec<&str> = selector.split_whitespace().collect();
            let class = match parts[..] {
                [class] | [".navy", class] => class,
                _ => continue,
            };
            colours.insert(class.trim_start_matches(".hljs-").to_owned(), value.trim().to_owned());
        }
    }
    colours
}

fn luminance(colour: &str) -> f64 {
    let digits = colour.strip_prefix('#').unwrap_or_else(|| panic!("{colour} is no #rrggbb"));
    let full: String =
        if digits.len() == 3 { digits.chars().flat_map(|digit| [digit, digit]).collect() } else { digits.to_owned() };
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&full[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The style sheet of a site whose name begins so; mdBook adds a hash.
fn sheet(site: &Path, name: &str) -> String {
    let entries = fs::read_dir(site).unwrap().map(|entry| entry.unwrap().path());
    let mut found = entries.filter(|path| {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        file.starts_with(name) && file.ends_with(".css")
    });
    fs::read_to_string(found.next().unwrap_or_else(|| panic!("there is no {name}"))).unwrap()
}

#[test]
fn coloured_code_can_be_read_in_both_themes() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("chapters")).unwrap();
    fs::write(root.path().join("book.toml"), "[book]\nsrc = \"chapters\"\n").unwrap();
    fs::write(root.path().join("chapters/SUMMARY.md"), "- [A](a.md)\n").unwrap();
    fs::write(root.path().join("chapters/a.md"), "minutes: 1\n\n# A\n").unwrap();
    let site = root.path().join("site");
    build_with(root.path(), Some(&site), Fake::default()).unwrap();
    let own = include_str!("../theme/code.css");
    for (theme, css) in [("light", sheet(&site, "highlight")), ("dark", sheet(&site, "tomorrow-night") + own)] {
        let ground = colours(&css, "background").remove(".hljs").expect("a ground");
        let ink = colours(&css, "color");
        for class in CLASSES {
            // What has no colour of its own has that of code.
            let colour = ink.get(class).or_else(|| ink.get(".hljs")).expect("a colour");
            let contrast = contrast(colour, &ground);
            assert!(contrast >= 4.5, "{theme}: {class} is {colour} on {ground}, a contrast of {contrast:.2}");
        }
        assert_ne!(ink.get("keyword"), ink.get("built_in"), "{theme}");
        assert!(ink.contains_key("type") && ink.contains_key("variable") && ink.contains_key("meta"), "{theme}");
    }
    // Without our own rules the dark theme fails: the test can.
    let bare = colours(&sheet(&site, "tomorrow-night"), "color");
    assert!(contrast(&bare["variable"], "#1d1f21") < 4.5 && !bare.contains_key("type"));
}
