// The routes that the message bus can call, by the names of their commands. The table is checked
// when the server starts: a mistake in it is a mistake of a module.

import type { Route } from "../../contract/route.ts";
import { assert } from "../../kernel/assert.ts";

const commandPattern = /^[a-z][a-z-]*(?:\.[a-z][a-z-]*)+$/;

/** Throws for a name that is not valid or that two routes have. */
export function commandsOf(routes: readonly Route[]): ReadonlyMap<string, Route> {
  const commands = new Map<string, Route>();
  for (const route of routes) {
    const { command, method, path, stream } = route;
    if (command === undefined) continue;
    const name = `the command ${command} of the route ${method} ${path}`;
    assert(commandPattern.test(command), `${name} is not a name such as environments.create`);
    assert(!commands.has(command), `${name} is the command of another route`);
    assert(stream !== true, `${name} cannot be answered: the route returns a stream`);
    commands.set(command, route);
  }
  return commands;
}
