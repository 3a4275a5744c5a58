/** Colours, injected so that a renderer stays pure: each takes text and gives text. */
export interface Paint {
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

const same = (text: string): string => text;

/** No escape codes at all: for pipes, files and NO_COLOR. */
export const plainPaint: Paint = { red: same, green: same, yellow: same, bold: same, dim: same };
