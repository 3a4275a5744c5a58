import { createPrivateKey, type KeyObject } from 'node:crypto';
import { isFields } from '@sendonce/core/internal';
import { insteadOfFile } from '../instead-of-file.ts';
import { httpUrl, invalid } from '../options.ts';
import type { ServiceAccount } from './google-token.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';

/**
 * Reads the JSON file of a service account, as a text or parsed. No value of it is shown in an error: it holds a private key.
 * @throws SendonceError OPTION_INVALID
 */
export function serviceAccountOf(who: string, given: unknown): ServiceAccount {
  const fields = typeof given === 'string' ? parsed(who, given) : given;
  if (!isFields(fields)) invalid(`${who} must be the JSON of a service account, as a text or an object`);
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value : invalid(`${who} needs a text '${name}'`);
  };
  const tokenUrl = httpUrl(fields['token_uri'] ?? TOKEN_URL);
  if (tokenUrl === null) invalid(`${who}: 'token_uri' must be a whole http or https address`);
  return {
    projectId: text('project_id'),
    clientEmail: text('client_email'),
    privateKey: rsaKey(who, text('private_key')),
    tokenUrl,
  };
}

function parsed(who: string, given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return invalid(`${who} must be the JSON of a service account, as a text or an object, got ${insteadOfFile(given)}`);
  }
}

function rsaKey(who: string, pem: string): KeyObject {
  let key: KeyObject | null;
  try {
    key = createPrivateKey(pem);
  } catch {
    key = null;
  }
  if (key?.asymmetricKeyType === 'rsa') return key;
  const got = key === null ? insteadOfFile(pem) : `a key of another kind (${key.asymmetricKeyType})`;
  return invalid(`${who}: 'private_key' is not an RSA key in PEM, got ${got}`);
}
