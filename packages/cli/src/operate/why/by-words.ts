const NAMES: Readonly<Record<string, string>> = {
  'fan-out': 'fan-out',
  sweep: 'the sweeper',
  reconcile: 'the reconciler',
  evidence: 'evidence from outside',
  cancel: 'a cancel',
  replay: 'an operator',
  amnesia: 'the store, after it lost its memory',
};

/** Who made a move. */
export function byWords(by: string): string {
  return NAMES[by] ?? by.replace(/^worker:/, 'worker ');
}
