// A WebSocket server of a few dozen lines, so that the test peer needs no dependency: enough of
// RFC 6455 for a browser on the same machine (no extensions).
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface Socket {
  onText: (text: string) => void;
  onBytes: (bytes: Buffer) => void;
  onClose: () => void;
  send(text: string): void;
  close(code: number): void;
  /** Cuts the line without a word. */
  cut(): void;
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export function accept(request: IncomingMessage, stream: Duplex, protocol: string): Socket {
  const key = request.headers["sec-websocket-key"] ?? "";
  const answer = createHash("sha1")
    .update(key + GUID)
    .digest("base64");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${answer}`,
    `Sec-WebSocket-Protocol: ${protocol}`,
  ];
  stream.write(`${lines.join("\r\n")}\r\n\r\n`);
  const nothing = () => undefined;
  const socket: Socket = {
    onText: nothing,
    onBytes: nothing,
    onClose: nothing,
    send: (text) => write(1, Buffer.from(text)),
    close: (code) => {
      const body = Buffer.alloc(2);
      body.writeUInt16BE(code);
      write(8, body);
    },
    cut: () => void stream.destroy(),
  };
  const write = (opcode: number, body: Buffer) => {
    if (!stream.writable) return;
    stream.write(header(opcode, body.length));
    stream.write(body);
  };
  let waiting = Buffer.alloc(0);
  let fragments: Buffer[] = [];
  let kind = 0;
  stream.on("data", (data: Buffer) => {
    waiting = Buffer.concat([waiting, data]);
    for (let frame = read(waiting); frame; frame = read(waiting)) {
      waiting = waiting.subarray(frame.size);
      if (frame.opcode === 8) {
        write(8, frame.body.subarray(0, 2));
        stream.end();
      }
      if (frame.opcode > 2) continue;
      // Browsers send a large message in fragments; the first one says what it is.
      if (frame.opcode > 0) kind = frame.opcode;
      fragments.push(frame.body);
      if (!frame.isFinal) continue;
      const message = Buffer.concat(fragments);
      fragments = [];
      if (kind === 1) socket.onText(message.toString());
      else socket.onBytes(message);
    }
  });
  stream.on("close", () => socket.onClose());
  stream.on("error", nothing);
  return socket;
}

function header(opcode: number, length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | opcode, length]);
  const head = Buffer.alloc(length < 65536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 65536 ? 126 : 127;
  if (length < 65536) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

function read(data: Buffer): { opcode: number; isFinal: boolean; body: Buffer; size: number } | undefined {
  if (data.length < 2) return undefined;
  const [first = 0, second = 0] = data;
  let length = second & 127;
  let at = 2;
  if (length === 126 && data.length >= 4) {
    length = data.readUInt16BE(2);
    at = 4;
  } else if (length === 127 && data.length >= 10) {
    length = Number(data.readBigUInt64BE(2));
    at = 10;
  } else if (length > 125) return undefined;
  if (data.length < at + 4 + length) return undefined;
  const mask = data.subarray(at, at + 4);
  const body = Buffer.from(data.subarray(at + 4, at + 4 + length));
  for (let i = 0; i < body.length; i += 1) body[i] = (body[i] ?? 0) ^ (mask[i % 4] ?? 0);
  return { opcode: first & 15, isFinal: first >= 128, body, size: at + 4 + length };
}
