//! Sequences in JSON, in every form in which they are written: answers of `gen` and `cover`, their files and manifests, kept
//! sequences, and plain traces.

use serde_json::Value as Json;

use super::{About, Kept};

/// Something in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Listed {
    /// A sequence.
    Sequence(Box<Kept>),
    /// A sequence in another file, beside this one.
    File(String),
}

/// Everything that is in a file, in order.
pub fn listed(json: &Json) -> Result<Vec<Listed>, String> {
    if let Some(purposes) = json.get("purposes").and_then(Json::as_array) {
        let of_purposes = purposes
            .iter()
            .enumerate()
            .map(|(number, one)| of_purpose(one).map_err(|reason| format!("purposes[{number}]: {reason}")));
        return Ok(of_purposes.collect::<Result<Vec<_>, _>>()?.concat());
    }
    if let (Some(suite), Some(of)) = (json.get("suite").and_then(Json::as_array), json.get("of")) {
        let of = texts(of).ok_or("of: expected names of criteria")?;
        let member = |(number, one): (usize, &Json)| match one.get("file").and_then(Json::as_str) {
            Some(file) => Ok(Listed::File(file.to_owned())),
            None => {
                let covers = one.get("covers").and_then(texts);
                let covers = covers.ok_or_else(|| format!("suite[{number}].covers: expected names of items"))?;
                Ok(sequence(one, None, About::Items { of: of.clone(), covers }))
            }
        };
        return suite.iter().enumerate().map(member).collect();
    }
    let model = json.get("model").and_then(Json::as_str).map(str::to_owned);
    Ok(vec![sequence(json, model, about(json)?)])
}

/// Whether this is a kept sequence: a trace that names its model.
pub fn is_kept(json: &Json) -> bool {
    json.get("model").is_some_and(Json::is_string) && json.get("steps").is_some_and(Json::is_array)
}

fn of_purpose(json: &Json) -> Result<Vec<Listed>, String> {
    let name = json.get("name").and_then(Json::as_str).ok_or("name: expected the name of a purpose")?;
    if let Some(files) = json.get("sequences").and_then(Json::as_array) {
        let file = |one: &Json| one.get("file").and_then(Json::as_str).map(|file| Listed::File(file.to_owned()));
        return files.iter().map(|one| file(one).ok_or_else(|| "sequences: expected files".to_owned())).collect();
    }
    let cases = json.get("cases").and_then(Json::as_array).ok_or("cases: expected a list")?;
    let of_case = |case: &Json| {
        let class = case.get("class").and_then(Json::as_str).map(str::to_owned);
        sequence(case, None, About::Purpose { name: name.to_owned(), class })
    };
    Ok(cases.iter().map(of_case).collect())
}

/// What a sequence says of itself.
fn about(json: &Json) -> Result<About, String> {
    match (json.get("purpose"), json.get("of")) {
        (Some(Json::String(name)), _) => {
            let class = json.get("class").and_then(Json::as_str).map(str::to_owned);
            Ok(About::Purpose { name: name.clone(), class })
        }
        (None | Some(Json::Null), Some(of)) => {
            let of = texts(of).ok_or("of: expected names of criteria")?;
            let covers = json.get("covers").and_then(texts).ok_or("covers: expected names of items")?;
            Ok(About::Items { of, covers })
        }
        (None | Some(Json::Null), None) => Ok(About::Run),
        (Some(_), _) => Err("purpose: expected a name".to_owned()),
    }
}

fn sequence(json: &Json, model: Option<String>, about: About) -> Listed {
    let refused = json.get("refused").filter(|refused| refused.is_object()).cloned();
    let meets = json.get("meets") != Some(&Json::Bool(false));
    let trace = json.get("sequence").unwrap_or(json).clone();
    Listed::Sequence(Box::new(Kept { model, about, meets, refused, trace }))
}

/// A text, or a list of texts.
fn texts(json: &Json) -> Option<Vec<String>> {
    match json {
        Json::String(text) => Some(vec![text.clone()]),
        Json::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}
