// The command lines of the tools: who asks for help, or makes a mistake, is told how to call one.

/** What `parse` returns; an error that it throws is a mistake of the caller. */
export function parsedOrExit<T>(name: string, usage: string, parse: () => T): T {
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parse();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(`${name}: ${message}\n\n${usage}`);
    return process.exit(2);
  }
}

/** Throws unless each is a number above zero. */
export function numbersIn<K extends string>(
  values: Readonly<Record<K, string>>,
): Readonly<Record<K, number>> {
  const entries = Object.entries<string>(values).map(([name, text]) => {
    if (!(Number(text) > 0)) throw new Error(`--${name} must be a positive number, not ${text}`);
    return [name, Number(text)] as const;
  });
  return Object.fromEntries(entries) as Record<K, number>;
}
