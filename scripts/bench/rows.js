/** The rows of the SQLite part, in the order in which they are printed. */
export const ROW_NAMES = [
  'fan-out',
  'protocol',
  'fan-out beside 1,000,000',
  'protocol beside 1,000,000',
  'worker, 0 ms provider',
  'worker, 5 ms provider',
  'memory at 10,000',
  'memory at 1,000,000',
];
