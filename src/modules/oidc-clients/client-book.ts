// What is stored about the registrations of an OidcClient, in its status. A request whose answer
// may contain a new credential is noted before it is sent (`pending`), so that after a crash it is
// known that the provider may have acted. Every change is stored under the claim of the run.

import type { Context } from "../../engine/reconciler.ts";
import { timeText } from "../../kernel/clock.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Registration } from "./provider/registration.ts";

export interface ClientBook {
  /** The software_id of a request whose answer is not stored; undefined: there is none. */
  readonly pending: string | undefined;
  /** The registration whose credentials are in use, if it has this software_id. */
  current(softwareId: string): Registration | undefined;
  all(): readonly Registration[];
  /** Before a request. */
  begin(softwareId: string): Promise<void>;
  /** After its answer; what was pending is not any more. */
  keep(registration: Registration, isCurrent: boolean): Promise<void>;
  /** The request had no effect. */
  settle(): Promise<void>;
  /** The request may have had an effect that is not known: the provider may have a client more. */
  giveUp(): Promise<void>;
  forget(clientId: string): Promise<void>;
}

export function openBook(
  { status }: Resource,
  { status: writer, clock }: Pick<Context, "status" | "clock">,
): ClientBook {
  const registrations = new Map(
    Object.keys(objectAt(status, "registrations")).map((id) => [id, storedAs(status, id)]),
  );
  let currentId = textAt(status, "clientId");
  let pending: string | undefined = textAt(status, "pending", "softwareId") || undefined;
  let unconfirmed = numberAt(status, "unconfirmed") ?? 0;
  const change = async (fields: JsonObject): Promise<void> => await writer.patch(fields);
  return {
    get pending() {
      return pending;
    },
    current: (softwareId) => {
      const found = registrations.get(currentId);
      return found?.softwareId === softwareId ? found : undefined;
    },
    all: () => [...registrations.values()],
    begin: async (softwareId) => {
      if (pending === softwareId) return;
      await change({ pending: { softwareId, since: timeText(clock.nowMs()) } });
      pending = softwareId;
    },
    keep: async (registration, isCurrent) => {
      const { clientId, ...stored } = registration;
      const now = isCurrent ? { clientId } : {};
      await change({ registrations: { [clientId]: stored }, pending: null, ...now });
      registrations.set(clientId, registration);
      pending = undefined;
      if (isCurrent) currentId = clientId;
    },
    settle: async () => {
      if (pending === undefined) return;
      await change({ pending: null });
      pending = undefined;
    },
    giveUp: async () => {
      unconfirmed += 1;
      await change({ pending: null, unconfirmed });
      pending = undefined;
    },
    forget: async (clientId) => {
      await change({ registrations: { [clientId]: null } });
      registrations.delete(clientId);
    },
  };
}

function storedAs(status: Resource["status"], clientId: string): Registration {
  const at = (field: string): string => textAt(status, "registrations", clientId, field);
  return {
    clientId,
    softwareId: at("softwareId"),
    uri: at("uri"),
    registeredAt: at("registeredAt"),
    clientSecret: at("clientSecret"),
    accessToken: at("accessToken"),
  };
}
