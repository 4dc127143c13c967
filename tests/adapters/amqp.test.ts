// The broker port against a real RabbitMQ.
import { after, before } from "node:test";
import { brokerContract } from "../../src/adapters/amqp/contract/suite.ts";
import { startRabbitMq } from "../peers/rabbitmq.ts";
import type { RabbitMq } from "../peers/rabbitmq.ts";

let rabbitMq: RabbitMq;

before(async () => {
  rabbitMq = await startRabbitMq();
});

after(async () => {
  await rabbitMq[Symbol.asyncDispose]();
});

brokerContract("RabbitMQ", () => ({ connect: (user) => rabbitMq.connect(user)() }));
