/** Text kept outside the heap, addressed by a number. A million rows cost their bytes, and the garbage collector nothing. */
export interface Arena {
  write(text: string): number;
  read(address: number): string;
  /** Gives a row up; its chunk is dropped when no row of it is left. */
  free(address: number): void;
}

/** Chunks given up by one arena, for the next to use: the collector alone would let them pile up. */
export type ChunkPool = Buffer[];

const CHUNK_BYTES = 1 << 20;
/** Longer texts are measured before they are written. */
const LONG = 1_000;
/** Addresses per chunk: also the largest row. */
const SPAN = 2 ** 32;
const HEADER = 4;

interface Chunk {
  readonly bytes: Buffer;
  used: number;
  rows: number;
}

export function arena(pool: ChunkPool): Arena {
  const chunks: (Chunk | undefined)[] = [];
  const vacant: number[] = [];
  let current = -1;

  function open(size: number): Chunk {
    const bytes =
      size > CHUNK_BYTES ? Buffer.allocUnsafeSlow(size) : (pool.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES));
    const chunk: Chunk = { bytes, used: 0, rows: 0 };
    const full = current;
    current = vacant.pop() ?? chunks.length;
    chunks[current] = chunk;
    if (full >= 0) dropIfEmpty(full);
    return chunk;
  }

  function dropIfEmpty(index: number): void {
    const chunk = chunks[index];
    if (index === current || chunk?.rows !== 0) return;
    chunks[index] = undefined;
    vacant.push(index);
    if (chunk.bytes.length === CHUNK_BYTES) pool.push(chunk.bytes);
  }

  function chunkOf(address: number): Chunk {
    const chunk = chunks[Math.floor(address / SPAN)];
    if (chunk === undefined) throw new RangeError(`no row at ${address}`);
    return chunk;
  }

  return {
    write(text) {
      // Three bytes per UTF-16 unit is the most that UTF-8 needs; for a row, counting exactly would cost as much as writing.
      const atMost = HEADER + (text.length > LONG ? Buffer.byteLength(text) : text.length * 3);
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
