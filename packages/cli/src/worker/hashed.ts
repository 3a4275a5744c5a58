import { createHmac, randomBytes } from 'node:crypto';
import { withAddresses } from '../operate/mask.ts';

/** A text with `r_...` in the place of each address: the same one for the same address, and useless without the key. */
export type Hashed = (text: string) => string;

/** `key`: to compare lines of several processes; without one each process has its own, and nothing can be compared. */
export function hashed(key: string | undefined): Hashed {
  const secret = key === undefined || key === '' ? randomBytes(32) : key;
  const hash = (found: string): string => {
    // A sentence goes on behind it: `ann@example.org: no such user`.
    const address = found.replace(/[^\p{L}\p{N}]+$/u, '');
    const digest = createHmac('sha256', secret).update(normalised(address)).digest('base64url');
    return `r_${digest.slice(0, 16)}${found.slice(address.length)}`;
  };
  return (text) => withAddresses(text, hash);
}

/** However it is written: an e-mail in whatever case, a number with or without spaces. */
function normalised(address: string): string {
  return address.includes('@') ? address.toLowerCase() : address.replace(/[^\d+]/g, '');
}
