//! Words of code: runs of letters, digits and underscores, and the tokens of each. Reference: `cairn.kernel.runs` and `tokens`.

use crate::characters::Characters;

/// A longer token is cut.
const MAX_TOKEN_CHARS: usize = 64;

/// Stands for a letter beyond ASCII.
const OTHER_LETTER: u8 = 128;

/// Endings that are taken off, with the least that must stay before each.
const ENDINGS: [(&str, usize); 13] = [
    ("ization", 3),
    ("ation", 4),
    ("izer", 3),
    ("izing", 3),
    ("ized", 3),
    ("ize", 3),
    ("ing", 3),
    ("ion", 4),
    ("er", 4),
    ("or", 5),
    ("ed", 3),
    ("ly", 4),
    ("able", 4),
];

/// The base of a form that no rule leads to.
fn regular(word: &str) -> &str {
    match word {
        "began" | "begun" => "begin",
        "bound" => "bind",
        "broke" | "broken" => "break",
        "built" => "build",
        "chose" | "chosen" => "choose",
        "drew" | "drawn" => "draw",
        "fed" => "feed",
        "found" => "find",
        "forgot" | "forgotten" => "forget",
        "froze" | "frozen" => "freeze",
        "gave" | "given" => "give",
        "hid" | "hidden" => "hide",
        "held" => "hold",
        "kept" => "keep",
        "lost" => "lose",
        "made" => "make",
        "overwritten" | "overwrote" => "overwrite",
        "rebuilt" => "rebuild",
        "ran" => "run",
        "sent" => "send",
        "shutting" => "shut",
        "stole" | "stolen" => "steal",
        "took" | "taken" => "take",
        "threw" | "thrown" => "throw",
        "wrote" | "written" => "write",
        _ => word,
    }
}

/// Bytes that belong to a run: letters, digits, the underscore, and all of what isn't ASCII.
const IN_RUN: [bool; 256] = {
    let mut table = [false; 256];
    let mut code = 0;
    while code < 256 {
        table[code] = code >= 128 || (code as u8).is_ascii_alphanumeric() || code as u8 == b'_';
        code += 1;
    }
    table
};

/// Hand each run to `give`: what stands between white space and ASCII signs other than the underscore, in order.
pub fn each_run<'text>(text: &'text str, mut give: impl FnMut(&'text str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !IN_RUN[bytes[at] as usize] {
            at += 1;
            continue;
        }
        let start = at;
        let mut any = 0;
        while at < bytes.len() && IN_RUN[bytes[at] as usize] {
            any |= bytes[at];
            at += 1;
        }
        let run = &text[start..at];
        if any < 128 {
            give(run);
        } else {
            run.split(char::is_whitespace).filter(|part| !part.is_empty()).for_each(&mut give);
        }
    }
}

/// The tokens of a run of ASCII, each handed to `give`.
pub fn tokens_of_ascii_run(run: &str, mut give: impl FnMut(&str)) {
    let word = run.as_bytes();
    if word.iter().all(|&byte| byte == b'_') {
        return;
    }
    if word.iter().all(u8::is_ascii_lowercase) {
        return give(&stem(&run[..run.len().min(MAX_TOKEN_CHARS)]));
    }
    let parts = parts_of(word);
    let whole = run.trim_matches('_').to_ascii_lowercase();
    let whole = &whole[..whole.len().min(MAX_TOKEN_CHARS)];
    if parts.len() <= 1 {
        return give(&stem(whole));
    }
    give(whole);
    for (start, end) in parts {
        if end - start > 1 {
            give(&stem(&run[start..end.min(start + MAX_TOKEN_CHARS)].to_ascii_lowercase()));
        }
    }
}

/// The tokens of any run, each handed to `give`.
pub fn tokens_of_run(run: &str, characters: &Characters, mut give: impl FnMut(&str)) {
    let is_of_word = |each: char| {
        each == '_' || if each.is_ascii() { each.is_alphanumeric() } else { characters.of(each).is_alphanumeric }
    };
    for word in run.split(|each| !is_of_word(each)) {
        let word = word.trim_end_matches('_');
        if word.is_ascii() {
            tokens_of_ascii_run(word, &mut give);
        } else {
            tokens_of_word(word, characters, &mut give);
        }
    }
}

fn tokens_of_word(word: &str, characters: &Characters, mut give: impl FnMut(&str)) {
    let classes: Vec<u8> = word.chars().map(|each| class_of(each, characters)).collect();
    let parts = parts_of(&classes);
    let whole = lower(word.trim_matches('_').chars(), characters);
    if parts.len() <= 1 {
        return give(&stem(&whole));
    }
    give(&whole);
    for (start, end) in parts {
        if end - start > 1 {
            give(&stem(&lower(word.chars().skip(start).take(end - start), characters)));
        }
    }
}

/// A character of ASCII that a character goes with in a part of an identifier; beyond it all letters go together.
fn class_of(character: char, characters: &Characters) -> u8 {
    match character {
        _ if character.is_ascii() => character as u8,
        _ if characters.of(character).is_decimal => b'0',
        _ => OTHER_LETTER,
    }
}

fn lower(part: impl Iterator<Item = char>, characters: &Characters) -> String {
    let mut found = String::new();
    for character in part {
        if character.is_ascii() {
            found.push(character.to_ascii_lowercase());
        } else {
            found.push_str(&characters.of(character).lower);
        }
    }
    if let Some((end, _)) = found.char_indices().nth(MAX_TOKEN_CHARS) {
        found.truncate(end);
    }
    found
}

/// Where the parts of an identifier stand: `HTTPServer_v2` has four.
fn parts_of(word: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < word.len() {
        let class = |place: usize, test: fn(&u8) -> bool| word.get(place).is_some_and(test);
        let mut end = at;
        if class(at, u8::is_ascii_uppercase) {
            while class(end, u8::is_ascii_uppercase) {
                end += 1;
            }
            if class(end, u8::is_ascii_lowercase) {
                end -= 1; // the last capital begins the next part
                if end == at {
                    end += 1;
                    while class(end, u8::is_ascii_lowercase) {
                        end += 1;
                    }
                }
            }
        } else if class(at, u8::is_ascii_lowercase) {
            while class(end, u8::is_ascii_lowercase) {
                end += 1;
            }
        } else if class(at, u8::is_ascii_digit) {
            while class(end, u8::is_ascii_digit) {
                end += 1;
            }
        } else if class(at, is_other_letter) {
            while class(end, is_other_letter) {
                end += 1;
            }
        } else {
            at += 1;
            continue;
        }
        found.push((at, end));
        at = end;
    }
    found
}

fn is_other_letter(class: &u8) -> bool {
    *class == OTHER_LETTER
}

/// A plural folded and one common ending taken off; short words stay as they are.
pub fn stem(word: &str) -> String {
    let word = regular(word);
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return word.to_owned();
    }
    let mut word = word.to_owned();
    if word.ends_with("ies") && word.len() > 4 {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ["sses", "shes", "ches", "xes"].iter().any(|ending| word.ends_with(ending)) {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        word.truncate(word.len() - 1);
    }
    if word.ends_with("ied") && word.len() > 4 {
        word.truncate(word.len() - 3);
        word.push('y');
        return word;
    }
    let found = without_ending(&word);
    let kept = if found.ends_with("at") && found.len() > 5 { found.len() - 2 } else { found.len() };
    found[..kept].to_owned()
}

fn without_ending(word: &str) -> &str {
    for (ending, least) in ENDINGS {
        if let Some(base) = word.strip_suffix(ending)
            && base.len() >= least
            && base.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        {
            return if matches!(ending, "ing" | "ed" | "er") { undoubled(base) } else { base };
        }
    }
    word.strip_suffix('e').unwrap_or(word)
}

fn undoubled(base: &str) -> &str {
    let bytes = base.as_bytes();
    let last = bytes[bytes.len() - 1];
    let doubled = bytes.len() > 3 && last == bytes[bytes.len() - 2] && !b"lsz".contains(&last);
    if doubled || (bytes.len() > 4 && last == b'e') { &base[..base.len() - 1] } else { base }
}
