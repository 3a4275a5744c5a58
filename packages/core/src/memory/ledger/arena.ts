/** Text kept outside the heap, addressed by a number. A million rows cost their bytes, and the garbage collector nothing. */
export interface Arena {
  write(text: string): number;
  read(address: number): string;
  /** Gives a row up; its chunk is dropped when no row of it is left. */
  free(address: number): void;
}

const CHUNK_BYTES = 1 << 20;
/** Addresses per chunk: also the largest row. */
const SPAN = 2 ** 32;
const HEADER = 4;

interface Chunk {
  readonly bytes: Buffer;
  used: number;
  rows: number;
}

export function arena(): Arena {
  const chunks: (Chunk | undefined)[] = [];
  const vacant: number[] = [];
  let current = -1;

  function open(size: number): Chunk {
    const chunk: Chunk = { bytes: Buffer.allocUnsafeSlow(Math.max(size, CHUNK_BYTES)), used: 0, rows: 0 };
    const full = current;
    current = vacant.pop() ?? chunks.length;
    chunks[current] = chunk;
    if (full >= 0) dropIfEmpty(full);
    return chunk;
  }

  function dropIfEmpty(index: number): void {
    if (index === current || chunks[index]?.rows !== 0) return;
    chunks[index] = undefined;
    vacant.push(index);
  }

  function chunkOf(address: number): Chunk {
    const chunk = chunks[Math.floor(address / SPAN)];
    if (chunk === undefined) throw new RangeError(`no row at ${address}`);
    return chunk;
  }

  return {
    write(text) {
      // Three bytes per UTF-16 unit is the most that UTF-8 needs; counting exactly would cost as much as writing.
      const atMost = HEADER + text.length * 3;
      let chunk = chunks[current];
      if (chunk === undefined || chunk.used + atMost > chunk.bytes.length) chunk = open(atMost);
      const at = chunk.used;
      const length = chunk.bytes.write(text, at + HEADER, 'utf8');
      chunk.bytes.writeUInt32LE(length, at);
      chunk.used = at + HEADER + length;
      chunk.rows += 1;
      return current * SPAN + at;
    },
    read(address) {
      const { bytes } = chunkOf(address);
      const at = address % SPAN;
      return bytes.toString('utf8', at + HEADER, at + HEADER + bytes.readUInt32LE(at));
    },
    free(address) {
      chunkOf(address).rows -= 1;
      dropIfEmpty(Math.floor(address / SPAN));
    },
  };
}
