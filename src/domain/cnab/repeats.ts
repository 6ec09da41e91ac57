const wordsPerSlot = 4;
/** Looked up once: under jest a global costs more than a multiplication. */
const { imul } = Math;

export interface Repeat {
  line: number;
  wholeLine: boolean;
}

/**
 * Remembers receivables by a hash of 64 bits: 16 bytes a slot, two slots a receivable when the number is known
 * beforehand. That two different ones look the same is less likely than one in ten million for a million receivables.
 */
export class Repeats {
  #slots: Uint32Array;
  #capacity: number;
  #used = 0;

  constructor(expected: number) {
    this.#capacity = Math.max(64, expected * 2);
    this.#slots = new Uint32Array(this.#capacity * wordsPerSlot);
  }

  /** @param line from 1. Returns where it was seen before; null, and it is remembered, when it was not. */
  seen(hash1: number, hash2: number, lineHash: number, line: number): Repeat | null {
    if (this.#used * 5 > this.#capacity * 4) this.#grow();
    const at = this.#find(hash1, hash2);
    const slots = this.#slots;
    const before = slots[at + 3] ?? 0;
    if (before !== 0) return { line: before, wholeLine: slots[at + 2] === lineHash >>> 0 };
    slots[at] = hash1;
    slots[at + 1] = hash2;
    slots[at + 2] = lineHash;
    slots[at + 3] = line;
    this.#used += 1;
    return null;
  }

  #find(hash1: number, hash2: number): number {
    const slots = this.#slots;
    let slot = Math.floor(((hash1 >>> 0) / 2 ** 32) * this.#capacity);
    for (;;) {
      const at = slot * wordsPerSlot;
      if (slots[at + 3] === 0) return at;
      if (slots[at] === hash1 >>> 0 && slots[at + 1] === hash2 >>> 0) return at;
      slot = slot + 1 === this.#capacity ? 0 : slot + 1;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#capacity *= 2;
    this.#slots = new Uint32Array(this.#capacity * wordsPerSlot);
    for (let at = 0; at < old.length; at += wordsPerSlot) {
      if (old[at + 3] === 0) continue;
      const to = this.#find(old[at] ?? 0, old[at + 1] ?? 0);
      this.#slots.set(old.subarray(at, at + wordsPerSlot), to);
    }
  }
}

/** Hashes of ranges of bytes; on the way it tells bytes that are not plain ASCII text. */
export class RangeHash {
  #view: DataView = new DataView(new ArrayBuffer(0));
  #bytes: Uint8Array = new Uint8Array(0);
  first = 0;
  second = 0;
  line = 0;
  /** Not zero when a byte below 0x20 or above 0x7f was among what `addLine` was given. */
  strange = 0;

  start(bytes: Uint8Array): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.first = 0x2545f491;
    this.second = 0x1b873593;
    this.line = 0;
    this.strange = 0;
  }

  addKey(from: number, to: number): void {
    const view = this.#view;
    let { first, second } = this;
    let at = from;
    for (; at + 4 <= to; at += 4) {
      const word = view.getInt32(at, true);
      first = mixed(first ^ word, 0x9e3779b1);
      second = mixed(second + word, 0x85ebca6b);
    }
    for (; at < to; at += 1) {
      const byte = view.getUint8(at);
      first = mixed(first ^ byte, 0x9e3779b1);
      second = mixed(second + byte, 0x85ebca6b);
    }
    this.first = first;
    this.second = second;
  }

  /** Two words at a time, each in a hash of its own, since one waits for the word before. */
  addLine(from: number, to: number): void {
    const view = this.#view;
    let { strange } = this;
    let even = this.line;
    let odd = 0x1b873593;
    let at = from;
    for (; at + 8 <= to; at += 8) {
      const one = view.getInt32(at, true);
      const other = view.getInt32(at + 4, true);
      // A borrow into the top bit of a byte: it is below 0x20. That bit itself: it is above 0x7f.
      strange |= ((one - 0x20202020) & ~one) | one | ((other - 0x20202020) & ~other) | other;
      even = mixed(even ^ one, 0x9e3779b1);
      odd = mixed(odd ^ other, 0x85ebca6b);
    }
    for (; at < to; at += 1) {
      const byte = view.getUint8(at);
      strange |= byte < 0x20 || byte > 0x7f ? 0x80 : 0;
      even = mixed(even ^ byte, 0x9e3779b1);
    }
    this.line = mixed(even ^ odd, 0x85ebca6b);
    this.strange = strange & 0x80808080;
  }
}

function mixed(value: number, factor: number): number {
  const product = imul(value, factor);
  return product ^ (product >>> 15);
}
