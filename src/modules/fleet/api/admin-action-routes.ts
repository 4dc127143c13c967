// What administrators do to one instance: assign a cluster, change its type, set its expiry and
// traits, suspend and resume it, rotate its secrets. Each is a change of its spec, which the life
// cycle follows. All of them are idempotent: a repeated request has the same result.

import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { timeText } from "../../../kernel/clock.ts";
import { readInstance } from "../lifecycle/instance.ts";
import type { Offering } from "../offering.ts";
import { place } from "../placement/place.ts";
import { adminSchema } from "./admin-view.ts";
import { anyInstance, editInstance, requiredReason, withSpec } from "./admin-writes.ts";
import type { CustomerPorts, FleetRequest, FleetRoute } from "./fleet-route.ts";
import { documentAnswer, wholeDocument } from "./page-document.ts";
import { described, listSchema, objectSchema } from "./schemas.ts";

const text: JsonObject = { type: "string" };
const reasonField = { reason: described(text, "Why. Shown to administrators and in the log.") };
const parameters = { id: "The id of the instance." };

type Handled = ReturnType<FleetRoute["handle"]>;

export function adminActionRoutes(ports: CustomerPorts, offering: Offering): readonly FleetRoute[] {
  const shared = {
    tag: "Operations on an instance",
    access: { kind: "admin" },
    parameters,
    answers: { 200: { description: "The instance.", schema: adminSchema(offering) } },
    errors: [400, 404],
  } as const;
  const path = (rest: string): string => `/${offering.instances.plural}/{id}/${rest}`;
  return [
    {
      ...shared,
      method: "PUT",
      path: path("cluster"),
      summary: "Assign an instance to a cluster.",
      description:
        "The instance moves to the cluster, and is then removed from the cluster that it leaves. " +
        "With `null` the placement is free again, and the instance stays where it is.",
      body: objectSchema({ cluster_id: { type: "string", nullable: true }, ...reasonField }, [
        "cluster_id",
      ]),
      handle: async (request) => await assignCluster(ports, request),
    },
    typeRoute(ports, shared, path),
    {
      ...shared,
      method: "PUT",
      path: path("expiry"),
      summary: "Set or clear the expiry of an instance.",
      description:
        "An expired instance is suspended, and removed after the time of grace of the Offering. " +
        "`null` clears the expiry.",
      body: objectSchema(
        { expires_at: { type: "string", format: "date-time", nullable: true }, ...reasonField },
        ["expires_at", "reason"],
      ),
      handle: async (request) => await setExpiry(ports, request),
    },
    {
      ...shared,
      method: "POST",
      path: path("suspend"),
      summary: "Suspend an instance.",
      body: objectSchema(reasonField, ["reason"]),
      handle: async (request) => await suspend(ports, request),
    },
    {
      ...shared,
      method: "POST",
      path: path("resume"),
      summary: "Resume an instance that an administrator suspended.",
      description: "An instance whose owner is denied, or that has expired, stays suspended.",
      handle: async (request) =>
        await editInstance(ports, request, (old) => withSpec(old, { suspension: undefined })),
    },
    {
      ...shared,
      method: "POST",
      path: path("rotate-secrets"),
      summary: "Rotate the secrets of an instance.",
      description:
        "Preparations and agents see a higher `rotation`. Send the `rotation` that you read: a " +
        "repeated request then rotates once. Without it, each request rotates again.",
      body: objectSchema({ rotation: { type: "integer" }, ...reasonField }),
      errors: [400, 404, 409],
      handle: async (request) => await rotate(ports, request),
    },
    ...traitRoutes(ports, shared, path),
  ];
}

function typeRoute(
  ports: CustomerPorts,
  shared: Pick<FleetRoute, "tag" | "access" | "parameters" | "answers">,
  path: (rest: string) => string,
): FleetRoute {
  return {
    ...shared,
    method: "PUT",
    path: path("type"),
    summary: "Change the type of an instance.",
    description:
      "Such as from an evaluation to a paid type. What the instance counts against moves with " +
      "it. If its cluster cannot host the type, the instance moves to another one.",
    body: objectSchema({ instance_type: text, ...reasonField }, ["instance_type"]),
    errors: [400, 403, 404],
    handle: async (request) =>
      await editInstance(ports, request, (old) =>
        withSpec(old, { type: textAt(request.body, "instance_type") }),
      ),
  };
}

async function assignCluster(ports: CustomerPorts, request: FleetRequest): Handled {
  const cluster = textAt(request.body, "cluster_id");
  // The schema requires the field, so that an absent value is null.
  if (cluster === "" && valueAt(request.body, "cluster_id") !== undefined) {
    throw new SetpointError("fleet.field", "cluster_id: must be the id of a cluster, or null", {
      details: { field: "body.cluster_id" },
    });
  }
  return await editInstance(ports, request, (old) => {
    if (cluster === "") return withSpec(old, { cluster: undefined });
    // The cluster that an instance is on may be full: of this instance.
    const isThere = textAt(old.status, "placement", "cluster") === cluster;
    const problem = isThere ? undefined : clusterProblem(ports, request.offering, old, cluster);
    if (problem === undefined) return withSpec(old, { cluster });
    throw new SetpointError("fleet.validation", `cluster_id: ${problem}`, {
      details: { field: "body.cluster_id" },
    });
  });
}

/** Why the cluster cannot host the instance, by the rules of placement. */
function clusterProblem(
  { fleet }: CustomerPorts,
  offering: Offering,
  resource: Resource,
  cluster: string,
): string | undefined {
  const facts = fleet.clusters()?.get(cluster);
  if (facts === undefined) return `cluster ${cluster} does not exist`;
  const { provider, region, isMultiAz, type, organisation } = readInstance(resource);
  if (facts.provider !== provider || facts.region !== region) {
    return `cluster ${cluster} is in another region than the instance`;
  }
  const units = offering.types.find(({ name }) => name === type)?.units ?? 1;
  const wish = { offering: offering.name, organisation, provider, region, isMultiAz, type, units };
  const { excluded } = place({ ...wish, cluster, refusedBy: [] }, [facts]);
  return excluded[0] === undefined ? undefined : `cluster ${cluster} ${excluded[0].reason}`;
}

async function setExpiry(ports: CustomerPorts, request: FleetRequest): Handled {
  const { body } = request;
  const reason = requiredReason(body);
  const isCleared = valueAt(body, "expires_at") === undefined;
  const atMs = Date.parse(textAt(body, "expires_at"));
  if (!isCleared && Number.isNaN(atMs)) {
    const message = "expires_at: must be a date and time such as 2030-01-31T12:00:00Z, or null";
    throw new SetpointError("fleet.field", message, { details: { field: "body.expires_at" } });
  }
  const expiresAt = isCleared ? undefined : timeText(atMs);
  return await editInstance(ports, request, (old) =>
    withSpec(old, { expiresAt, expiryReason: reason }),
  );
}

async function suspend(ports: CustomerPorts, request: FleetRequest): Handled {
  const reason = requiredReason(request.body);
  const now = timeText(ports.clock.nowMs());
  return await editInstance(ports, request, (old) => {
    const at = textAt(old.spec, "suspension", "at") || now;
    return withSpec(old, { suspension: { reason, at } });
  });
}

async function rotate(ports: CustomerPorts, request: FleetRequest): Handled {
  const seen = numberAt(request.body, "rotation");
  return await editInstance(ports, request, (old) => {
    const present = numberAt(old.spec, "rotation") ?? 0;
    if (seen !== undefined && present === seen + 1) return old;
    if (seen !== undefined && present !== seen) {
      const message = `rotation: is ${present}, not ${seen}: read the instance again`;
      throw new SetpointError("resource.conflict", message, {
        details: { field: "body.rotation" },
      });
    }
    return withSpec(old, { rotation: present + 1 });
  });
}

const traitPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.:]{0,61}[A-Za-z0-9])?$/;
const maxTraits = 100;

function traitRoutes(
  ports: CustomerPorts,
  common: Pick<FleetRoute, "tag" | "access">,
  path: (rest: string) => string,
): readonly FleetRoute[] {
  const { tag, access } = common;
  const shared = { tag, access, errors: [400, 404] } as const;
  const answers = { 200: { description: "The traits.", schema: listSchema(text) } };
  const both = { ...parameters, trait: "A short word, such as `canary`." };
  return [
    {
      ...shared,
      method: "GET",
      path: path("traits"),
      summary: "List the traits of an instance.",
      description: "Agents receive traits: they mark instances that are handled in another way.",
      parameters,
      answers,
      handle: async (request) => {
        const { resource } = await anyInstance(ports, request);
        return documentAnswer(wholeDocument("TraitList", textsAt(resource.spec, "traits")));
      },
    },
    {
      ...shared,
      method: "PUT",
      path: path("traits/{trait}"),
      summary: "Add a trait to an instance.",
      parameters: both,
      answers,
      handle: async (request) =>
        await setTraits(ports, request, (traits, trait) =>
          traits.includes(trait) ? traits : [...traits, trait].sort(),
        ),
    },
    {
      ...shared,
      method: "DELETE",
      path: path("traits/{trait}"),
      summary: "Remove a trait from an instance.",
      parameters: both,
      answers,
      handle: async (request) =>
        await setTraits(ports, request, (traits, trait) => traits.filter((one) => one !== trait)),
    },
  ];
}

async function setTraits(
  ports: CustomerPorts,
  request: FleetRequest,
  edit: (traits: readonly string[], trait: string) => readonly string[],
): Handled {
  const trait = request.path["trait"] ?? "";
  if (!traitPattern.test(trait)) {
    const message =
      `trait: ${JSON.stringify(trait.slice(0, 80))} must have 1 to 63 letters, digits and ` +
      "characters of -_.: and begin and end with a letter or digit";
    throw new SetpointError("fleet.field", message, { details: { field: "path.trait" } });
  }
  let traits: readonly string[] = [];
  await editInstance(ports, request, (old) => {
    const before = textsAt(old.spec, "traits");
    traits = edit(before, trait);
    if (traits.length > maxTraits) {
      const message = `an instance has at most ${maxTraits} traits`;
      throw new SetpointError("fleet.validation", message, { details: { field: "path.trait" } });
    }
    const isSame = traits.length === before.length;
    return isSame ? old : withSpec(old, { ...objectAt(old, "spec"), traits });
  });
  return documentAnswer(wholeDocument("TraitList", traits));
}
