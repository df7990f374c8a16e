// Node's peers. Reads one request a line and answers each with one JSON line:
// `rows` gives each row's count of handlers, a number measures every row for so many milliseconds and gives ns per emit.

import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import Emittery from 'emittery';

const SLICE_NS = 1e6;
let seen = 0;

function eventEmitter(handlers) {
  const emitter = new EventEmitter().setMaxListeners(handlers);
  for (let i = 0; i < handlers; i++) {
    emitter.on('tick', (tick) => {
      seen ^= tick.n;
    });
  }
  return async (times) => {
    for (let n = 0; n < times; n++) {
      emitter.emit('tick', { n });
    }
  };
}

function emittery(handlers) {
  const emitter = new Emittery();
  for (let i = 0; i < handlers; i++) {
    emitter.on('tick', async (tick) => {
      seen ^= tick.n;
    });
  }
  return async (times) => {
    for (let n = 0; n < times; n++) {
      await emitter.emit('tick', { n });
    }
  };
}

const rows = Object.entries({ event_emitter: eventEmitter, emittery }).flatMap(([name, subscribe]) =>
  [1, 10].map((handlers) => ({ name: `${name}_${handlers}`, handlers, emitMany: subscribe(handlers) })),
);

async function time(row, times) {
  const begin = process.hrtime.bigint();
  await row.emitMany(times);
  return Number(process.hrtime.bigint() - begin);
}

// A first guess at how many emits a slice takes; each round corrects it.
async function calibrate(row) {
  row.slice = 1;
  while ((await time(row, row.slice)) < SLICE_NS / 2) {
    row.slice *= 2;
  }
}

// The median of slices of a millisecond, as the Rust rows are measured.
async function measure(row, budgetNs) {
  if (row.slice === undefined) {
    await calibrate(row);
  }
  const slices = [];
  const begin = process.hrtime.bigint();
  while (slices.length === 0 || Number(process.hrtime.bigint() - begin) < budgetNs) {
    slices.push((await time(row, row.slice)) / row.slice);
  }
  slices.sort((a, b) => a - b);
  const perEmit = slices[Math.floor(slices.length / 2)];
  row.slice = Math.max(1, Math.floor(SLICE_NS / perEmit));
  return perEmit;
}

for await (const request of createInterface({ input: process.stdin })) {
  const answer = {};
  for (const row of rows) {
    answer[row.name] = request === 'rows' ? row.handlers : await measure(row, Number(request) * 1e6);
  }
  console.log(JSON.stringify(answer));
}
