//! The issuer's keys, and which signatures each may check.
//!
//! A key is for one family of algorithms, by what it is and not by what a token says: a public key
//! is never a shared secret. Shared secrets in a published set are no secrets and are left out.

use jsonwebtoken::{
    Algorithm, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse},
};
use serde_json::Value;

const KEYS_MAX: usize = 100;
/// So many are tried for a token that does not say which.
const TRIES_MAX: usize = 8;
/// 2048 bits; shorter RSA keys can be broken.
const RSA_BYTES_MIN: usize = 256;
/// Longer ones only cost time.
const RSA_BYTES_MAX: usize = 2048;

const RSA: [Algorithm; 6] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
];

#[derive(Clone, Debug)]
pub(super) struct Key {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    pub(super) key: DecodingKey,
}

#[derive(Clone, Debug, Default)]
pub(super) struct KeySet(Vec<Key>);

impl KeySet {
    /// Those that can be used; what is not known here may stand beside them.
    pub(super) fn read(document: &Value) -> KeySet {
        let keys = document["keys"].as_array().map(Vec::as_slice).unwrap_or_default();
        KeySet(keys.iter().take(KEYS_MAX).filter_map(Key::read).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys that may have made a signature of this kind.
    pub(super) fn matching(&self, algorithm: Algorithm, id: Option<&str>) -> Vec<Key> {
        let is_it = |key: &&Key| {
            let is_named = id.is_none() || key.id.as_deref() == id;
            is_named && key.algorithms.contains(&algorithm)
        };
        self.0.iter().filter(is_it).take(TRIES_MAX).cloned().collect()
    }
}

impl Key {
    fn read(value: &Value) -> Option<Key> {
        let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
        if !matches!(jwk.common.public_key_use, None | Some(PublicKeyUse::Signature)) {
            return None;
        }
        let mut algorithms = match &jwk.algorithm {
            AlgorithmParameters::RSA(rsa) => {
                let modulus = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(&rsa.n).ok()?;
                let is_fit = (RSA_BYTES_MIN..=RSA_BYTES_MAX).contains(&modulus.len());
                is_fit.then(|| RSA.to_vec())?
            }
            AlgorithmParameters::EllipticCurve(curve) => match curve.curve {
                EllipticCurve::P256 => vec![Algorithm::ES256],
                EllipticCurve::P384 => vec![Algorithm::ES384],
                _ => return None,
            },
            AlgorithmParameters::OctetKeyPair(pair) => match pair.curve {
                EllipticCurve::Ed25519 => vec![Algorithm::EdDSA],
                _ => return None,
            },
            // Shared secrets among them.
            _ => return None,
        };
        if let Some(only) = value["alg"].as_str() {
            algorithms.retain(|algorithm| format!("{algorithm:?}") == only);
        }
        let key = DecodingKey::from_jwk(&jwk).ok()?;
        (!algorithms.is_empty()).then_some(Key { id: jwk.common.key_id, algorithms, key })
    }
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::Algorithm;
    use serde_json::json;

    use super::KeySet;

    #[test]
    fn a_key_checks_what_it_is_for_and_nothing_else() {
        // 256 bytes, and 128.
        let modulus = format!("{}w", "v".repeat(341));
        let short = format!("{}w", "v".repeat(170));
        let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
        let set = KeySet::read(&json!({"keys": [
            {"kty": "RSA", "kid": "any", "n": modulus, "e": "AQAB"},
            {"kty": "RSA", "kid": "one", "alg": "RS256", "n": modulus, "e": "AQAB"},
            {"kty": "RSA", "kid": "short", "n": short, "e": "AQAB"},
            {"kty": "RSA", "kid": "enc", "use": "enc", "n": modulus, "e": "AQAB"},
            {"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": x},
            {"kty": "oct", "kid": "shared", "k": "c2VjcmV0", "alg": "HS256"},
            {"kty": "new", "kid": "new"},
            7,
        ]}));
        let count = |algorithm, id| set.matching(algorithm, id).len();
        assert_eq!(count(Algorithm::RS256, None), 2);
        assert_eq!(count(Algorithm::PS512, Some("any")), 1);
        assert_eq!(count(Algorithm::PS512, Some("one")), 0);
        assert_eq!(count(Algorithm::EdDSA, Some("ed")), 1);
        assert_eq!(count(Algorithm::RS256, Some("ed")), 0);
        for id in ["short", "enc", "shared", "new"] {
            for algorithm in [Algorithm::RS256, Algorithm::HS256, Algorithm::ES256] {
                assert_eq!(count(algorithm, Some(id)), 0, "{id}");
            }
        }
        assert_eq!(count(Algorithm::HS256, None), 0);
        assert!(KeySet::read(&json!({"keys": {}})).is_empty());
    }
}
