//! A plain load balancer: each connection goes to the next gateway, or to the one after it when that
//! one does not answer. It knows nothing of what passes through.

use std::{
    io,
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// A gateway on this machine takes a connection at once or not at all.
const CONNECT: Duration = Duration::from_secs(2);

pub(crate) struct Balancer {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Where the gateways are.
    gateways: Vec<Option<SocketAddr>>,
    next: usize,
}

impl Balancer {
    pub(crate) fn start(count: usize) -> Balancer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let gateways = vec![None; count];
        let state = Arc::new(Mutex::new(State { gateways, ..State::default() }));
        let shared = Arc::clone(&state);
        // It ends with the process: it holds nothing but sockets.
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                thread::spawn(move || pass(&client, &shared));
            }
        });
        Balancer { address, state }
    }

    /// A gateway was started here.
    pub(crate) fn put(&self, index: usize, address: SocketAddr) {
        self.state.lock().unwrap().gateways[index] = Some(address);
    }
}

/// Connects to the next gateway that answers. The lock is not held while it does.
fn choose(state: &Mutex<State>) -> Option<TcpStream> {
    let count = state.lock().unwrap().gateways.len();
    for _ in 0..count {
        let address = {
            let mut state = state.lock().unwrap();
            let index = state.next % count;
            state.next += 1;
            state.gateways[index]
        };
        if let Some(address) = address
            && let Ok(gateway) = TcpStream::connect_timeout(&address, CONNECT)
        {
            return Some(gateway);
        }
    }
    None
}

fn pass(client: &TcpStream, state: &Mutex<State>) {
    let Some(gateway) = choose(state) else { return };
    let _ = (client.set_nodelay(true), gateway.set_nodelay(true));
    thread::scope(|scope| {
        scope.spawn(|| copy(client, &gateway));
        copy(&gateway, client);
    });
}

/// Copies until the end, and tells the other side that there is no more.
fn copy(mut from: &TcpStream, mut to: &TcpStream) {
    let ended = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
    if ended.is_err() {
        // Broken, not ended: nobody is to wait for more, in either direction.
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }
}
