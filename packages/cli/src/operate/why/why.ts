/** One answer, for a person and for a program. */
export interface Why {
  readonly lines: readonly string[];
  readonly json: object;
}
