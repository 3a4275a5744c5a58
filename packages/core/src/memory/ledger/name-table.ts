/** Gives names numbers. A number is never given to another name, and a name keeps its number. */
export interface NameTable<Name> {
  /** -1 when the table is full and the name is not in it: it will be so for ever. */
  numberOf(name: Name): number;
  nameOf(number: number): Name;
}

export function nameTable<Name>(most: number = Infinity): NameTable<Name> {
  const names: Name[] = [];
  const numbers = new Map<Name, number>();
  return {
    numberOf(name) {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      if (names.length >= most) return -1;
      numbers.set(name, names.length);
      return names.push(name) - 1;
    },
    nameOf: (number) => names[number] as Name,
  };
}
