//! An issuer of tokens in this process: discovery, keys, and a sign-in that always says yes.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Context as _;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use serde_json::{Value, json};

pub(crate) const CLIENT_ID: &str = "the-page";
pub(crate) const CLIENT_SECRET: &str = "the secret/of+the page";

/// A key that signs, with its name.
pub(crate) struct Signer {
    pub(crate) id: String,
    pub(crate) algorithm: Algorithm,
    key: EncodingKey,
}

impl Signer {
    /// A key of this test alone: it protects nothing.
    pub(crate) fn rsa(id: &str) -> anyhow::Result<Self> {
        let text = include_str!("rsa_test_key.txt").replace('\n', "");
        let der = base64_simd::STANDARD.decode_to_vec(text).ok().context("base64")?;
        Ok(Self {
            id: id.to_owned(),
            algorithm: Algorithm::RS256,
            key: EncodingKey::from_rsa_der(&der),
        })
    }

    pub(crate) fn ec(id: &str) -> anyhow::Result<Self> {
        // PKCS #8 around a private key for P-256.
        let der =
            wrapped("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420")?;
        Ok(Self {
            id: id.to_owned(),
            algorithm: Algorithm::ES256,
            key: EncodingKey::from_ec_der(&der),
        })
    }

    pub(crate) fn ed(id: &str) -> anyhow::Result<Self> {
        // PKCS #8 around a private key for Ed25519.
        let der = wrapped("302e020100300506032b657004220420")?;
        Ok(Self {
            id: id.to_owned(),
            algorithm: Algorithm::EdDSA,
            key: EncodingKey::from_ed_der(&der),
        })
    }

    pub(crate) fn public(&self) -> anyhow::Result<Value> {
        let mut jwk = serde_json::to_value(Jwk::from_encoding_key(&self.key, self.algorithm)?)?;
        jwk["kid"] = json!(self.id);
        Ok(jwk)
    }

    pub(crate) fn sign(&self, claims: &Value) -> anyhow::Result<String> {
        let mut header = Header::new(self.algorithm);
        header.kid = Some(self.id.clone());
        Ok(encode(&header, claims, &self.key)?)
    }
}

/// A random private key with what stands before it in its file.
fn wrapped(prefix: &str) -> anyhow::Result<Vec<u8>> {
    let bytes = (0..prefix.len()).step_by(2).map(|at| u8::from_str_radix(&prefix[at..at + 2], 16));
    let mut der = bytes.collect::<Result<Vec<u8>, _>>()?;
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).context("random")?;
    // Below the order of every curve.
    secret[0] = 1;
    der.extend(secret);
    Ok(der)
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[derive(Default)]
struct Shared {
    keys: Vec<Value>,
    /// What the token endpoint was sent.
    asked: Vec<(String, HashMap<String, String>)>,
    id_token: String,
    documents: usize,
}

pub(crate) struct Issuer {
    pub(crate) url: String,
    shared: Arc<Mutex<Shared>>,
}

impl Issuer {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Mutex::new(Shared::default()));
        let (kept, base) = (shared.clone(), url.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, base) = (kept.clone(), base.clone());
                thread::spawn(move || answer(stream, &base, &shared));
            }
        });
        Ok(Self { url, shared })
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn publish(&self, signers: &[&Signer]) -> anyhow::Result<()> {
        let keys = signers.iter().map(|signer| signer.public()).collect::<anyhow::Result<_>>()?;
        self.shared().keys = keys;
        Ok(())
    }

    pub(crate) fn set_id_token(&self, token: String) {
        self.shared().id_token = token;
    }

    /// The headers and the form of the last request to the token endpoint.
    pub(crate) fn last_asked(&self) -> Option<(String, HashMap<String, String>)> {
        self.shared().asked.last().cloned()
    }

    /// How often the keys were read.
    pub(crate) fn reads(&self) -> usize {
        self.shared().documents
    }
}

pub(crate) fn form(text: &str) -> HashMap<String, String> {
    let decode = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            let hex = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
            let hex = hex.and_then(|pair| u8::from_str_radix(pair, 16).ok());
            (rest, _) = match (byte, hex) {
                (b'%', Some(value)) => (&after[2..], bytes.push(value)),
                (b'+', _) => (after, bytes.push(b' ')),
                _ => (after, bytes.push(byte)),
            };
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (decode(key), decode(value))).collect()
}

fn answer(stream: TcpStream, base: &str, shared: &Mutex<Shared>) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = match path.as_str() {
        "/.well-known/openid-configuration" => json!({
            "issuer": base,
            "jwks_uri": format!("{base}/keys"),
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
        }),
        "/keys" => {
            shared.documents += 1;
            json!({"keys": shared.keys})
        }
        "/token" => {
            shared.asked.push((head, form(&String::from_utf8_lossy(&body))));
            json!({"access_token": "x", "token_type": "Bearer", "id_token": shared.id_token})
        }
        _ => Value::Null,
    };
    drop(shared);
    let answer = answer.to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        answer.len()
    );
    let stream = reader.get_mut();
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(answer.as_bytes());
}
