/** What oclif makes of a table of flags: a word for each that takes a value, else whether it was given. */
export type FlagsOf<Table> = {
  readonly [Name in keyof Table]?: (Table[Name] extends { readonly type: 'boolean' } ? boolean : string) | undefined;
};

/** The flags that every command has. */
export interface BaseFlags {
  readonly json?: boolean | undefined;
  readonly 'no-color'?: boolean | undefined;
}
