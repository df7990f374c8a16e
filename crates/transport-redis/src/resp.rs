//! [`Reply`]: what the server says, in the part of RESP2 that pub/sub uses
//! (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).

use bytes::{Buf, Bytes, BytesMut};

/// One complete reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    /// What somebody published.
    Message(Bytes),
    /// The server refuses a command.
    Error(String),
    /// Anything else: it was done.
    Done,
}

/// These bytes are no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// What [`next`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    Reply(Reply),
    /// The rest of a reply is missing, at least so many bytes.
    Missing(usize),
}

/// Bytes of a reply and where to go on.
enum Part<T> {
    Whole(T, usize),
    Missing(usize),
}

/// Where the bytes of a bulk string begin and end; none for a value of another kind.
type Bulk = Option<(usize, usize)>;

/// More than any line that a server writes.
const LONGEST_LINE: usize = 64 * 1024;

/// Takes the next reply off the front of `buffer`. The payload of a message is a slice of it, not a copy.
pub(crate) fn next(buffer: &mut BytesMut) -> Result<Next, Malformed> {
    let (reply, end) = match buffer.first() {
        None => return Ok(Next::Missing(1)),
        Some(b'*') => match array(buffer)? {
            Part::Whole(Some((start, stop)), end) => {
                let mut message = buffer.split_to(end);
                message.truncate(stop);
                message.advance(start);
                return Ok(Next::Reply(Reply::Message(message.freeze())));
            }
            Part::Whole(None, end) => (Reply::Done, end),
            Part::Missing(bytes) => return Ok(Next::Missing(bytes)),
        },
        Some(b'-') => match line(buffer, 1)? {
            Part::Whole(text, end) => (Reply::Error(String::from_utf8_lossy(text).into_owned()), end),
            Part::Missing(bytes) => return Ok(Next::Missing(bytes)),
        },
        Some(_) => match value(buffer, 0)? {
            Part::Whole(_, end) => (Reply::Done, end),
            Part::Missing(bytes) => return Ok(Next::Missing(bytes)),
        },
    };
    buffer.advance(end);
    Ok(Next::Reply(reply))
}

/// The payload, if the array is a message: `message`, its channel, its payload.
fn array(bytes: &[u8]) -> Result<Part<Bulk>, Malformed> {
    let (count, mut at) = match line(bytes, 1)? {
        Part::Whole(count, at) => (number(count)?, at),
        Part::Missing(bytes) => return Ok(Part::Missing(bytes)),
    };
    let (mut first, mut last) = (None, None);
    for index in 0..count {
        let (bulk, next) = match value(bytes, at)? {
            Part::Whole(bulk, next) => (bulk, next),
            Part::Missing(bytes) => return Ok(Part::Missing(bytes)),
        };
        if index == 0 {
            first = bulk.and_then(|(start, stop)| bytes.get(start..stop));
        }
        (last, at) = (bulk, next);
    }
    let is_message = count == 3 && first == Some(b"message");
    Ok(Part::Whole(last.filter(|_| is_message), at))
}

/// A value that holds no others.
fn value(bytes: &[u8], at: usize) -> Result<Part<Bulk>, Malformed> {
    match bytes.get(at) {
        None => Ok(Part::Missing(1)),
        Some(b'+' | b'-' | b':') => Ok(match line(bytes, at + 1)? {
            Part::Whole(_, end) => Part::Whole(None, end),
            Part::Missing(bytes) => Part::Missing(bytes),
        }),
        Some(b'$') => bulk(bytes, at + 1),
        Some(_) => Err(Malformed),
    }
}

fn bulk(bytes: &[u8], at: usize) -> Result<Part<Bulk>, Malformed> {
    let (length, start) = match line(bytes, at)? {
        Part::Whole(b"-1", end) => return Ok(Part::Whole(None, end)),
        Part::Whole(length, start) => (number(length)?, start),
        Part::Missing(bytes) => return Ok(Part::Missing(bytes)),
    };
    let stop = start.checked_add(length).ok_or(Malformed)?;
    let end = stop.checked_add(2).ok_or(Malformed)?;
    match bytes.get(stop..end) {
        Some(b"\r\n") => Ok(Part::Whole(Some((start, stop)), end)),
        Some(_) => Err(Malformed),
        None => Ok(Part::Missing(end - bytes.len())),
    }
}

fn line(bytes: &[u8], at: usize) -> Result<Part<&[u8]>, Malformed> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.iter().position(|byte| *byte == b'\n') {
        Some(end) => Ok(Part::Whole(rest[..end].strip_suffix(b"\r").ok_or(Malformed)?, at + end + 1)),
        None if rest.len() > LONGEST_LINE => Err(Malformed),
        None => Ok(Part::Missing(1)),
    }
}

fn number(digits: &[u8]) -> Result<usize, Malformed> {
    let digit = |number: usize, byte: &u8| {
        let digit = byte.is_ascii_digit().then(|| usize::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    };
    if digits.is_empty() {
        return Err(Malformed);
    }
    digits.iter().try_fold(0, digit).ok_or(Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &[u8] = b"*3\r\n$7\r\nmessage\r\n$4\r\nshop\r\n$5\r\na\r\n\xffb\r\n";

    fn done(bytes: &[u8]) -> Result<Next, Malformed> {
        let mut buffer = BytesMut::from(bytes);
        let next = next(&mut buffer);
        assert!(next.is_err() || buffer.is_empty(), "{buffer:?}");
        next
    }

    #[test]
    fn a_message_is_its_payload() {
        assert_eq!(done(MESSAGE), Ok(Next::Reply(Reply::Message(Bytes::from_static(b"a\r\n\xffb")))));
        let empty = b"*3\r\n$7\r\nmessage\r\n$7\r\nmessage\r\n$0\r\n\r\n";
        assert_eq!(done(empty), Ok(Next::Reply(Reply::Message(Bytes::new()))));
    }

    #[test]
    fn other_replies_say_that_it_was_done() {
        let subscribed = b"*3\r\n$9\r\nsubscribe\r\n$7\r\nmessage\r\n:1\r\n";
        let pong = b"*2\r\n$4\r\npong\r\n$0\r\n\r\n";
        for bytes in [&b"+OK\r\n"[..], b":12\r\n", b"$-1\r\n", b"$2\r\nab\r\n", b"*0\r\n", subscribed, pong] {
            assert_eq!(done(bytes), Ok(Next::Reply(Reply::Done)), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn an_error_is_its_text() {
        let error = Reply::Error("NOPERM no rights".to_owned());
        assert_eq!(done(b"-NOPERM no rights\r\n"), Ok(Next::Reply(error)));
    }

    #[test]
    fn a_reply_may_come_in_any_pieces() {
        for split in 0..MESSAGE.len() {
            let mut buffer = BytesMut::from(&MESSAGE[..split]);
            let Ok(Next::Missing(missing)) = next(&mut buffer) else { panic!("whole after {split} bytes") };
            assert!((1..=MESSAGE.len() - split).contains(&missing), "{missing} missing after {split} bytes");
            buffer.extend_from_slice(&MESSAGE[split..]);
            buffer.extend_from_slice(b":0\r\n");
            assert!(matches!(next(&mut buffer), Ok(Next::Reply(Reply::Message(_)))), "split at {split}");
            assert_eq!(next(&mut buffer), Ok(Next::Reply(Reply::Done)), "split at {split}");
        }
    }

    #[test]
    fn other_bytes_are_refused_and_never_waited_for() {
        let too_long = vec![b'+'; LONGEST_LINE + 2];
        let too_large = b"$18446744073709551615\r\n";
        for bytes in
            [&b"HTTP/1.1 400\r\n"[..], b"*x\r\n", b"$1\r\nabc", b"$\r\n", b"+\n", b"*1\r\n*0\r\n", too_large, &too_long]
        {
            assert_eq!(done(bytes), Err(Malformed), "{}", bytes.escape_ascii());
        }
    }
}
