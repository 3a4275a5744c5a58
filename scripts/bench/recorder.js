// A database that remembers what was asked of it, so that the same SQL can be run again without the code that made it.

/** Wraps an open database; `statements` holds every call in order. */
export function recording(inner) {
  const statements = [];
  return {
    statements,
    database: {
      exec(sql) {
        statements.push({ kind: 'exec', sql });
        return inner.exec(sql);
      },
      prepare(sql) {
        const statement = inner.prepare(sql);
        const recorded =
          (kind) =>
          (...values) => {
            statements.push({ kind, sql, values });
            return statement[kind](...values);
          };
        return { run: recorded('run'), get: recorded('get'), all: recorded('all') };
      },
      close: () => inner.close(),
    },
  };
}

/** Runs them one after the other: the bare loop. */
export function replay(database, statements) {
  const prepared = new Map();
  for (const { kind, sql, values } of statements) {
    if (kind === 'exec') {
      database.exec(sql);
      continue;
    }
    let statement = prepared.get(sql);
    if (statement === undefined) prepared.set(sql, (statement = database.prepare(sql)));
    statement[kind](...values);
  }
}
