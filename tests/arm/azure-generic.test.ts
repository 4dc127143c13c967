// A server driven by @azure/arm-resources, whose calls by id are for any type: the whole life of a
// resource, waiting, failing, conditions and pages, as the resource manager and as a user.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import { pick, pickList, pickText } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { onEachStore, ovens, subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { genericClient, only } from "./azure-clients.ts";
import type { Credentials, Endpoint } from "./azure-clients.ts";

const version = "2026-01-01";
const location = "westeurope";

function chest(name: string): string {
  const group = `/subscriptions/${subscription}/resourceGroups/Loft`;
  return `${group}/providers/Example.Attic/chests/${name}`;
}

onEachStore(
  "@azure/arm-resources",
  (started) => {
    let server: ArmServer;
    before(() => {
      server = started();
    });
    const endpoint = (kind: Credentials["kind"]): Endpoint => {
      const { url, ca, token, manager } = server;
      const credentials: Credentials =
        kind === "bearer token" ? { kind, token } : { kind, ...manager };
      return { url, ca, credentials };
    };
    const asUser = (): ReturnType<typeof genericClient> => genericClient(endpoint("bearer token"));

    for (const kind of ["bearer token", "client certificate"] as const) {
      it(`makes, reads, changes and removes a resource with a ${kind}`, async () => {
        const { client, exchanges } = genericClient(endpoint(kind));
        const { resources } = client;
        const id = `${ovens}/life-of-${kind.replace(" ", "-")}`;
        assert.equal((await resources.checkExistenceById(id, version)).body, false);
        const made = await resources.beginCreateOrUpdateByIdAndWait(id, version, {
          location,
          tags: { shop: "one" },
          properties: { size: 3, model: "m", secretCode: "s" },
        });
        assert.equal(pick(made, "properties.provisioningState"), "Succeeded");
        assert.equal(made.id, id);
        assert.equal((await resources.checkExistenceById(id, version)).body, true);
        const got = await resources.getById(id, version);
        assert.deepEqual(got.properties, made.properties);
        assert.equal(pick(got, "properties.secretCode"), undefined);
        const changed = await resources.beginUpdateByIdAndWait(id, version, {
          tags: { shop: "two" },
          properties: { size: 4 },
        });
        assert.equal(pick(changed, "properties.size"), 4);
        assert.equal(pick(changed, "properties.model"), "m");
        assert.equal(pick(changed, "properties.provisioningState"), "Succeeded");
        assert.deepEqual(changed.tags, { shop: "two" });
        // What was read, edited and sent back.
        const edited = { ...changed, properties: { ...(changed.properties as object), size: 5 } };
        const replaced = await resources.beginCreateOrUpdateByIdAndWait(id, version, edited);
        assert.equal(pick(replaced, "properties.size"), 5);
        const codes = await server.request("POST", `${id}/listCodes?api-version=${version}`);
        assert.equal(pick(codes.json, "secretCode"), "s");
        await resources.beginDeleteByIdAndWait(id, version);
        assert.equal((await resources.checkExistenceById(id, version)).body, false);
        assert.ok(exchanges.every(({ url }) => url.startsWith(`${server.url}/`)));
        assert.ok(exchanges.every(({ status }) => status < 300 || status === 404));
      });
    }

    it("waits by the operation, and takes the resource when it has ended", async () => {
      const { client, exchanges } = asUser();
      const id = `${ovens}/waited`;
      const properties = { mode: "slow" };
      const body = { location, properties };
      const poller = await client.resources.beginCreateOrUpdateById(id, version, body);
      assert.equal(poller.isDone(), false);
      await poller.poll();
      assert.equal(poller.isDone(), false);
      await server.letGo("waited");
      const made = await poller.pollUntilDone();
      assert.equal(pick(made, "properties.provisioningState"), "Succeeded");
      const [first, ...rest] = exchanges;
      assert.equal(first?.method, "PUT");
      assert.equal(first.status, 201);
      const operation = first.headers["azure-asyncoperation"] ?? "";
      assert.ok(operation.startsWith(`${server.url}/subscriptions/${subscription}/`), operation);
      assert.equal(first.headers["location"], undefined);
      const last = rest.pop();
      assert.equal(new URL(last?.url ?? "").pathname.replace(/^\/+/, "/"), id);
      for (const poll of rest) {
        assert.equal(poll.url, operation);
        assert.equal(poll.status, 200);
        const status = pick(JSON.parse(poll.text), "status");
        const isLast = poll === rest.at(-1);
        assert.equal(status, isLast ? "Succeeded" : "InProgress");
        assert.equal(poll.headers["retry-after"], isLast ? undefined : "1");
      }
    });

    it("tells why an operation failed", async () => {
      const { client } = asUser();
      const body = { location, properties: { mode: "broken" } };
      const making = client.resources.beginCreateOrUpdateByIdAndWait(
        `${ovens}/broken`,
        version,
        body,
      );
      await assert.rejects(making, ({ message }: Error) => {
        assert.equal(
          message,
          "The long-running operation has failed. OvenBroken. the oven does not get warm",
        );
        return true;
      });
    });

    it("waits for a deletion that fails at first, and is told of one without hope", async () => {
      const { client, exchanges } = asUser();
      const { resources } = client;
      const [late, stuck] = [chest("late"), chest("stuck")];
      for (const [id, removal] of [
        [late, "late"],
        [stuck, "stuck"],
      ] as const) {
        const body = { location, properties: { removal } };
        await resources.beginCreateOrUpdateByIdAndWait(id, version, body);
      }
      await assert.rejects(
        resources.beginDeleteByIdAndWait(stuck, version),
        ({ message }: Error) => {
          assert.match(message, /Stuck\. the lid is stuck$/);
          return true;
        },
      );
      const poller = await resources.beginDeleteById(late, version);
      await waitUntil("the failure to be told", async () => {
        await poller.poll();
        return exchanges.at(-1)?.text.includes('"lastError":{"code":"Later"');
      });
      assert.equal(poller.isDone(), false);
      const chests = `/apis/attic.tests.dev/v1/namespaces/sub-${subscription}/chests`;
      for (const item of pickList((await server.request("GET", chests)).json, "items")) {
        const metadata = { annotations: { "tests.dev/go": "true" } };
        const path = `${chests}/${pickText(item, "metadata.name")}`;
        assert.equal((await server.request("PATCH", path, { metadata })).status, 200);
      }
      await poller.pollUntilDone();
      assert.equal((await resources.checkExistenceById(late, version)).body, false);
    });

    it("gets the code and the words of a refusal", async () => {
      const { client } = asUser();
      const body = { location, properties: { size: 1_000 } };
      const making = client.resources.beginCreateOrUpdateByIdAndWait(
        `${ovens}/refused`,
        version,
        body,
      );
      await assert.rejects(making, (error: Error) => {
        assert.equal(pick(error, "statusCode"), 400);
        assert.equal(pick(error, "code"), "InvalidParameter");
        assert.match(error.message, /properties\.size/);
        return true;
      });
      const reading = client.resources.getById(`${ovens}/nobody`, version);
      await assert.rejects(reading, { code: "ResourceNotFound", statusCode: 404 });
    });

    it("goes on with a poller that was written down", async () => {
      const { resources } = asUser().client;
      const id = `${ovens}/resumed`;
      const body = { location, properties: { mode: "slow" } };
      const poller = await resources.beginCreateOrUpdateById(id, version, body);
      const state = poller.toString();
      await server.letGo("resumed");
      const { client, exchanges } = asUser();
      const options = { resumeFrom: state };
      const again = await client.resources.beginCreateOrUpdateById(id, version, body, options);
      const made = await again.pollUntilDone();
      assert.equal(pick(made, "properties.provisioningState"), "Succeeded");
      assert.deepEqual(
        exchanges.filter(({ method }) => method !== "GET"),
        [],
      );
    });

    it("asks for a revision with If-Match, and for none with If-None-Match", async () => {
      const { client, exchanges } = asUser();
      const { resources } = client;
      const id = `${ovens}/matched`;
      const body = (size: number): object => ({ location, properties: { size } });
      const given = (header: string, value: string): object => ({
        requestOptions: { customHeaders: { [header]: value } },
      });
      const put = async (size: number, options: object): Promise<unknown> =>
        await resources.beginCreateOrUpdateByIdAndWait(id, version, body(size), options);
      await put(1, given("If-None-Match", "*"));
      const etag = exchanges.at(-1)?.headers["etag"] ?? "";
      const unmet = { code: "PreconditionFailed", statusCode: 412 };
      await assert.rejects(put(2, given("If-None-Match", "*")), unmet);
      await put(3, given("If-Match", etag));
      await assert.rejects(put(4, given("If-Match", etag)), unmet);
      const removing = resources.beginDeleteByIdAndWait(id, version, given("If-Match", etag));
      await assert.rejects(removing, unmet);
      assert.equal(pick(await resources.getById(id, version), "properties.size"), 3);
    });

    it("reads lists of a group and of the subscription page by page", async () => {
      const { client } = genericClient(endpoint("bearer token"), version);
      for (const name of ["list-a", "list-b", "list-c"]) await server.made(name);
      // It lists through the manager, which asks each provider for its types.
      client.pipeline.addPolicy({
        name: "typePolicy",
        sendRequest: async (request, next) => {
          request.url = request.url.replace("/resources?", "/providers/Example.Bakery/ovens?");
          return await next(request);
        },
      });
      const { resources } = client;
      for (const list of [
        () => resources.list({ top: 2 }),
        () => resources.listByResourceGroup("bread", { top: 2 }),
      ]) {
        const names: string[] = [];
        let pages = 0;
        for await (const page of list().byPage()) {
          pages += 1;
          assert.ok(page.length <= 2);
          names.push(...page.map(({ name }) => name ?? ""));
        }
        assert.ok(pages >= 2);
        for (const name of ["list-a", "list-b", "list-c"]) {
          only(names.filter((each) => each === name));
        }
      }
    });

    it("keeps one operation for what is asked for twice", async () => {
      const { client, exchanges } = asUser();
      const body = { location, properties: { mode: "slow" } };
      const begin = async (): Promise<unknown> =>
        await client.resources.beginCreateOrUpdateById(`${ovens}/twice`, version, body);
      await begin();
      await begin();
      const urls = exchanges
        .filter(({ method }) => method === "PUT")
        .map(({ headers }) => headers["azure-asyncoperation"]);
      assert.equal(urls.length, 2);
      assert.equal(urls[0], urls[1]);
      await server.letGo("twice");
      assert.equal(pickText((await server.settled("twice")).json, "name"), "twice");
    });
  },
  ["bakery", "attic"],
  { armRetryAfter: 1, isConcurrent: true },
);
