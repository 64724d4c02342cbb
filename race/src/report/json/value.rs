//! As much of JSON as a report needs.

use std::fmt::{self, Display, Formatter};
use std::iter::Peekable;
use std::str::Chars;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Also what is not a number, as infinity in JSON.
    Null,
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Self {
        let members = members.into_iter();
        Self::Object(
            members
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }

    pub(super) fn get(&self, key: &str) -> Result<&Value, String> {
        let members = match self {
            Self::Object(members) => members.as_slice(),
            _ => &[],
        };
        let found = members.iter().find(|(name, _)| name == key);
        found
            .map(|(_, value)| value)
            .ok_or_else(|| format!("no \"{key}\""))
    }

    pub(super) fn number(&self) -> Result<f64, String> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Null => Ok(f64::INFINITY),
            other => Err(format!("{other} is no number")),
        }
    }

    pub(super) fn text(&self) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            other => Err(format!("{other} is no text")),
        }
    }

    pub(super) fn map_list<T>(
        &self,
        map: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        match self {
            Self::List(values) => values.iter().map(map).collect(),
            other => Err(format!("{other} is no list")),
        }
    }
}

impl From<f64> for Value {
    /// Four decimals are more than any clock here has.
    fn from(number: f64) -> Self {
        match number.is_finite() {
            true => Self::Number((number * 1e4).round() / 1e4),
            false => Self::Null,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        Self::List(values.into_iter().collect())
    }
}

/// Objects in a list get a line each.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => write!(f, "null"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => {
                let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
                write!(f, "\"{escaped}\"")
            }
            Self::List(values) => {
                write!(f, "[")?;
                for (i, value) in values.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    let line = match value {
                        Self::Object(_) => "\n",
                        _ => "",
                    };
                    write!(f, "{comma}{line}{value}")?;
                }
                write!(f, "]")
            }
            Self::Object(members) => {
                write!(f, "{{")?;
                for (i, (key, value)) in members.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma}\"{key}\":{value}")?;
                }
                write!(f, "}}")
            }
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut parser = Parser(text.chars().peekable());
    let value = parser.value()?;
    match parser.next() {
        None => Ok(value),
        Some(more) => Err(format!("'{more}' after the end")),
    }
}

struct Parser<'a>(Peekable<Chars<'a>>);

impl Parser<'_> {
    /// The next character that is not white.
    fn next(&mut self) -> Option<char> {
        self.peek();
        self.0.next()
    }

    fn peek(&mut self) -> Option<char> {
        while self.0.next_if(|c| c.is_ascii_whitespace()).is_some() {}
        self.0.peek().copied()
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        match self.next() {
            Some(c) if c == wanted => Ok(()),
            other => Err(format!("{other:?} where '{wanted}' belongs")),
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        match self.peek() {
            Some('{') => self.sequence('{', '}', Self::member).map(Value::Object),
            Some('[') => self.sequence('[', ']', Self::value).map(Value::List),
            Some('"') => self.text().map(Value::Text),
            _ => self.word(),
        }
    }

    fn member(&mut self) -> Result<(String, Value), String> {
        let key = self.text()?;
        self.expect(':')?;
        Ok((key, self.value()?))
    }

    fn sequence<T>(
        &mut self,
        open: char,
        close: char,
        element: fn(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.expect(open)?;
        let mut elements = Vec::new();
        while self.peek() != Some(close) {
            if !elements.is_empty() {
                self.expect(',')?;
            }
            elements.push(element(self)?);
        }
        self.expect(close)?;
        Ok(elements)
    }

    fn text(&mut self) -> Result<String, String> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.0.next().ok_or("a text without an end")? {
                '"' => return Ok(text),
                '\\' => text.extend(self.0.next()),
                c => text.push(c),
            }
        }
    }

    fn word(&mut self) -> Result<Value, String> {
        let mut word = String::new();
        while let Some(c) = self
            .0
            .next_if(|c| c.is_ascii_alphanumeric() || "+-.".contains(*c))
        {
            word.push(c);
        }
        match word.as_str() {
            "null" => Ok(Value::Null),
            number => number
                .parse()
                .map(Value::Number)
                .map_err(|_| format!("\"{word}\" is no number")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let value = Value::object([
            ("text", "a \\ and a \"".into()),
            ("none", f64::INFINITY.into()),
            (
                "list",
                [1.0, -2.5, 1e9].map(Value::from).into_iter().collect(),
            ),
            ("empty", Value::List(Vec::new())),
        ]);
        assert_eq!(parse(&value.to_string()), Ok(value));
    }

    #[test]
    fn white_space_does_not_matter_and_mistakes_are_named() {
        assert_eq!(
            parse(" [ 1 ,\n2 ] "),
            Ok([1.0, 2.0].map(Value::from).into_iter().collect())
        );
        for broken in ["", "[1", "{\"a\" 1}", "[1 2]", "1 2", "\"a", "{a:1}"] {
            assert!(parse(broken).is_err(), "{broken}");
        }
    }
}
