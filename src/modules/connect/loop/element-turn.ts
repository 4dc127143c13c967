// Elements of a list that is sent whole are written one after the other: each reads what the one
// before has written. Objects of their own, and elements that have commands, need no turn.

import { expandPath } from "../plan/requests.ts";
import { parametersOf } from "./observing.ts";
import type { Session } from "./session.ts";

export async function inTurn<T>(session: Session, work: () => Promise<T>): Promise<T> {
  const { compiled, client, context, turns } = session;
  const { element, item } = compiled.binding;
  if (element === undefined || element.command !== undefined) return await work();
  const parent = expandPath(item, parametersOf(session));
  return await turns.take(`${client.settings.name} ${parent}`, context.signal, work);
}
