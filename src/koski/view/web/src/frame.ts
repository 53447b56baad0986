import type { FrameHeader } from "./messages";

/** One field of a frame: the tiles that changed, as 16-bit shares of the way from low to high. */
export interface Field {
  name: string;
  low: number;
  high: number;
  tiles: Uint16Array[];
  numbers: number[]; // row · columns + column of each tile
}

export interface Frame {
  header: FrameHeader;
  fields: Field[];
  poses: Float32Array; // x y z qw qx qy qz of each body
}

const POSE = 7;
const even = (bytes: number) => (bytes + 3) & ~3; // arrays start at multiples of four bytes

/** Read a binary message; `shape` tells how many cells the world has along x and y. */
export function decode(buffer: ArrayBuffer, shape: { nx: number; ny: number }): Frame {
  const bytes = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, bytes))) as FrameHeader;
  let at = 4 + bytes;
  const columns = Math.ceil(shape.nx / header.tile);
  const fields = header.fields.map(({ name, low, high, tiles: numbers }) => {
    const tiles = numbers.map((number) => {
      const width = Math.min(header.tile, shape.nx - (number % columns) * header.tile);
      const height = Math.min(header.tile, shape.ny - Math.floor(number / columns) * header.tile);
      const values = new Uint16Array(buffer, at, width * height);
      at += even(values.byteLength);
      return values;
    });
    return { name, low, high, tiles, numbers };
  });
  return { header, fields, poses: new Float32Array(buffer, at, header.poses * POSE) };
}
