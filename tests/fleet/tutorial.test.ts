// The pages about fleets, typed as they are.
import { test } from "node:test";
import { typePage } from "./typed-page.ts";

test("a new user offers a managed service and uses it as a customer", async () => {
  await typePage("docs/tutorials/managed-service.md", 20);
});

test("a user extends an Offering with hooks and routes", async () => {
  await typePage("docs/how-to/extend-an-offering.md", 15);
});
