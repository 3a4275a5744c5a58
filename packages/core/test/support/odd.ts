/** What JavaScript lets anybody throw, reject with or answer, however little can be done with it. Made anew each time. */
export const ODD_VALUES: readonly { readonly what: string; readonly make: () => unknown }[] = [
  { what: 'undefined', make: () => undefined },
  { what: 'null', make: () => null },
  { what: 'a symbol', make: () => Symbol('odd') },
  { what: 'a bigint', make: () => 12n },
  { what: 'an empty text', make: () => '' },
  { what: 'NaN', make: () => NaN },
  { what: 'a function', make: () => () => 'odd' },
  { what: 'an object without a prototype', make: () => Object.create(null) as unknown },
  { what: 'a circular object', make: circular },
  { what: 'an error whose message is a getter that throws', make: () => withGetter(new Error('x'), 'message') },
  { what: 'an error whose name is a getter that throws', make: () => withGetter(new Error('x'), 'name') },
  { what: 'an error whose message is a symbol', make: () => Object.assign(new Error('x'), { message: Symbol('m') }) },
  { what: 'an object whose toString throws', make: () => ({ toString: explode, toJSON: explode }) },
  { what: 'a proxy that refuses everything', make: refusing },
  { what: 'a revoked proxy', make: revoked },
  { what: 'an error as long as a book', make: () => new Error('x'.repeat(1_000_000)) },
  { what: 'an error with control characters', make: () => new Error('a\u0000b\nc\ud800') },
];

function explode(): never {
  throw new Error('the trap threw');
}

function circular(): unknown {
  const self: Record<string, unknown> = {};
  self['self'] = self;
  return self;
}

function withGetter(error: Error, property: string): unknown {
  return Object.defineProperty(error, property, { get: explode });
}

function refusing(): unknown {
  const traps = ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'set'] as const;
  return new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, explode])));
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
