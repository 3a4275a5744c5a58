import ts from 'typescript';

export interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly type: string;
  /** Its documentation comment on one line, without tags. */
  readonly about: string;
}

/** The members of an exported interface, in the order of the source. */
export function membersOf(source: string, name: string): Member[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const found = file.statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === name);
  if (found === undefined || !ts.isInterfaceDeclaration(found)) throw new Error(`there is no interface '${name}'`);
  return found.members.filter(ts.isPropertySignature).map((member) => ({
    name: member.name.getText(file),
    optional: member.questionToken !== undefined,
    type: member.type?.getText(file).replaceAll(/\s+/g, ' ') ?? 'unknown',
    about: ts
      .getJSDocCommentsAndTags(member)
      .filter(ts.isJSDoc)
      .map((comment) => ts.getTextOfJSDocComment(comment.comment) ?? '')
      .join(' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }));
}
