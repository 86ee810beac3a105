// Reads or replaces the local storage and the databases (IndexedDB) of the origin of a blank document, as JSON in the form of Playwright's
// storage state: each program can read the files of the other.
//
// A database: { name, version, stores: [{ name, autoIncrement, keyPath | keyPathArray, indexes, records }] }. A value that JSON can express
// is written as it is (`value`), every other one in an encoding (`valueEncoded`) with an object for each thing that JSON has not: {v}
// undefined, null and odd numbers, {bi} BigInt, {d} Date, {u} URL, {r} RegExp, {e} Error, {ta} typed array, {ab} ArrayBuffer, {a} array,
// {o} object, {m} Map, {s} Set. The last four have an `id`, by which {ref} means the same one again.

(() => {
  const TYPED_ARRAYS = {
    i8: Int8Array,
    ui8: Uint8Array,
    ui8c: Uint8ClampedArray,
    i16: Int16Array,
    ui16: Uint16Array,
    i32: Int32Array,
    ui32: Uint32Array,
    f32: Float32Array,
    f64: Float64Array,
    bi64: BigInt64Array,
    bui64: BigUint64Array,
  };
  const ODD_NUMBERS = { NaN, Infinity, '-Infinity': -Infinity, '-0': -0 };
  const MAX_ARGUMENTS = 0x8000; // of one call

  /** Return the name of a value's built-in type, such as "Map"; "Object" for a plain object. */
  const typeNameOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

  /** Encode bytes (`Uint8Array`) as Base64. */
  function toBase64(bytes) {
    let binary = '';
    for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
      binary += String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS));
    }
    return btoa(binary);
  }

  /** Decode Base64 to bytes (`Uint8Array`). */
  const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  /**
   * Return whether JSON can represent a value exactly. `seen`: the objects in it found so far, since JSON writes one that occurs twice as
   * two.
   */
  function isJsonValue(value, seen = new Set()) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
    if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
    if (typeof value !== 'object' || seen.has(value)) return false;
    seen.add(value);
    if (Array.isArray(value)) {
      return Object.keys(value).length === value.length && value.every((item) => isJsonValue(item, seen));
    }
    return typeNameOf(value) === 'Object'
      && Object.keys(value).every((key) => key !== '__proto__' && isJsonValue(value[key], seen));
  }

  /** Return a promise of the result of an IndexedDB request. */
  const requestResult = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.onblocked = () => reject(new Error('a page has the database open'));
    });

  /**
   * Describe the key path of an object store or index, as Playwright's storage state does: { keyPath: text } or { keyPathArray: [text] };
   * {} for none.
   */
  const describeKeyPath = ({ keyPath }) =>
    keyPath === null ? {} : Array.isArray(keyPath) ? { keyPathArray: keyPath } : { keyPath };

  /**
   * Encode a record of an object store for JSON: { value or valueEncoded, key or keyEncoded }. Return [that, whether a value could not be
   * encoded]. `key`: undefined if the value contains it.
   */
  function encodeRecord(key, value) {
    const encoder = new Encoder();
    const record = isJsonValue(value) ? { value } : { valueEncoded: encoder.encode(value) };
    if (key === undefined) return [record, encoder.lost];
    return [{ ...(isJsonValue(key) ? { key } : { keyEncoded: new Encoder().encode(key) }), ...record }, encoder.lost];
  }

  /**
   * Read an object store. Return { name, autoIncrement, keyPath or keyPathArray, indexes, records }. Add the number of records with a value
   * that could not be encoded to `lost.count`.
   */
  async function readStore(store, lost) {
    const [keys, values] = await Promise.all([requestResult(store.getAllKeys()), requestResult(store.getAll())]);
    const records = keys.map((key, at) => {
      const [record, isLost] = encodeRecord(store.keyPath === null ? key : undefined, values[at]);
      lost.count += Number(isLost);
      return record;
    });
    const indexes = [...store.indexNames].map((name) => store.index(name)).map((index) => ({
      name: index.name,
      ...describeKeyPath(index),
      multiEntry: index.multiEntry,
      unique: index.unique,
    }));
    return { name: store.name, autoIncrement: store.autoIncrement, ...describeKeyPath(store), indexes, records };
  }

  /**
   * Read a database with its object stores. Return { name, version, stores (see `readStore`) }. Add the number of records with a value that
   * could not be encoded to `lost.count`.
   */
  async function readDatabase({ name = '', version = 0 }, lost) {
    const database = await requestResult(indexedDB.open(name));
    try {
      const names = [...database.objectStoreNames];
      const reading = names.length ? database.transaction(names, 'readonly') : null;
      const stores = await Promise.all(names.map((store) => readStore(reading.objectStore(store), lost)));
      return { name, version, stores };
    } finally {
      database.close();
    }
  }

  /** Create object stores and their indexes in a new database. `stores`: as from `readStore`. */
  function createStores(database, stores) {
    for (const store of stores) {
      const path = store.keyPathArray ?? store.keyPath ?? null;
      const made = database.createObjectStore(store.name, { autoIncrement: store.autoIncrement, keyPath: path });
      for (const index of store.indexes) {
        const options = { unique: index.unique, multiEntry: index.multiEntry };
        made.createIndex(index.name, index.keyPathArray ?? index.keyPath ?? '', options);
      }
    }
  }

  /**
   * Create a database, and fill it with the records of `stores` (as from `readStore`). The promise is rejected if writing fails.
   */
  async function writeDatabase({ name, version, stores }) {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => createStores(opening.result, stores);
    const database = await requestResult(opening);
    try {
      if (!stores.length) return;
      const writing = database.transaction(stores.map((store) => store.name), 'readwrite');
      const committed = new Promise((resolve, reject) => {
        writing.oncomplete = resolve;
        writing.onabort = () => reject(writing.error);
      });
      for (const store of stores) {
        for (const record of store.records) {
          const value = 'value' in record ? record.value : new Decoder().decode(record.valueEncoded);
          const key = 'keyEncoded' in record ? new Decoder().decode(record.keyEncoded) : record.key;
          const into = writing.objectStore(store.name);
          key === undefined ? into.add(value) : into.add(value, key);
        }
      }
      await committed;
    } finally {
      database.close();
    }
  }

  /** Return the origin's storage as JSON: { origin, localStorage, indexedDB, lost: number of records with a value that could not be encoded }. */
  async function readOrigin() {
    const lost = { count: 0 };
    const items = Object.keys(localStorage).map((name) => ({ name, value: localStorage.getItem(name) }));
    const databases = await Promise.all((await indexedDB.databases()).map((found) => readDatabase(found, lost)));
    return JSON.stringify({ origin: location.origin, localStorage: items, indexedDB: databases, lost: lost.count });
  }

  /** Replace the origin's local storage and databases by those of `stored`, a parsed result of `readOrigin`. Return { origin } as JSON. */
  async function replaceOrigin(stored) {
    localStorage.clear();
    for (const { name = '' } of await indexedDB.databases()) await requestResult(indexedDB.deleteDatabase(name));
    for (const { name, value } of stored.localStorage ?? []) localStorage.setItem(name, value);
    await Promise.all((stored.indexedDB ?? []).map(writeDatabase));
    return JSON.stringify({ origin: location.origin });
  }

  /**
   * Encodes the values of one record. `lost`: whether one of them cannot be encoded, such as a Blob, a CryptoKey or a file handle.
   */
  class Encoder {
    constructor() {
      this.lost = false;
      this.ids = new Map();
    }

    /** Encode any value: a primitive of JSON as it is, anything else as an object such as { v: "undefined" }. */
    encode(value) {
      if (value === undefined) return { v: 'undefined' };
      if (value === null) return { v: 'null' };
      if (typeof value === 'bigint') return { bi: String(value) };
      if (typeof value === 'number') {
        const odd = Object.keys(ODD_NUMBERS).find((name) => Object.is(ODD_NUMBERS[name], value));
        return odd ? { v: odd } : value;
      }
      if (typeof value !== 'object') return value;
      return this.encodeLeaf(value) ?? this.encodeObject(value);
    }

    /** Encode an error, date, regular expression or binary data; undefined for any other object. */
    encodeLeaf(value) {
      if (value instanceof Error) return { e: { n: value.name, m: value.message, s: String(value.stack) } };
      if (value instanceof Date) return { d: value.toJSON() };
      if (value instanceof RegExp) return { r: { p: value.source, f: value.flags } };
      if (value instanceof ArrayBuffer) return { ab: { b: toBase64(new Uint8Array(value)) } };
      for (const [name, made] of Object.entries(TYPED_ARRAYS)) {
        if (value instanceof made) {
          return { ta: { b: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)), k: name } };
        }
      }
    }

    /** Encode an array, map, set or plain object with its contents; { ref: id } for one that was encoded before. */
    encodeObject(value) {
      if (this.ids.has(value)) return { ref: this.ids.get(value) };
      const id = this.ids.size + 1;
      this.ids.set(value, id);
      if (Array.isArray(value)) return { a: Array.from(value, (item) => this.encode(item)), id };
      if (value instanceof Map) {
        return { m: Array.from(value, ([key, item]) => ({ k: this.encode(key), v: this.encode(item) })), id };
      }
      if (value instanceof Set) return { s: Array.from(value, (item) => this.encode(item)), id };
      if (typeNameOf(value) !== 'Object') {
        this.lost = true;
        return { o: [], id };
      }
      return { o: Object.keys(value).map((key) => ({ k: key, v: this.encode(value[key]) })), id };
    }
  }

  /** Decodes the values of one record. */
  class Decoder {
    constructor() {
      this.objects = new Map();
    }

    /** Decode a value that `Encoder.encode` has encoded. */
    decode(value) {
      if (typeof value !== 'object' || value === null) return value;
      if ('ref' in value) return this.objects.get(value.ref);
      if ('v' in value) return value.v === 'null' ? null : ODD_NUMBERS[value.v];
      if ('bi' in value) return BigInt(value.bi);
      if ('d' in value) return new Date(value.d ?? NaN);
      if ('u' in value) return String(value.u); // IndexedDB cannot store a URL
      if ('r' in value) return new RegExp(value.r.p, value.r.f);
      if ('ab' in value) return fromBase64(value.ab.b).buffer;
      if ('ta' in value) return new TYPED_ARRAYS[value.ta.k](fromBase64(value.ta.b).buffer);
      if ('e' in value) {
        return Object.assign(new Error(value.e.m), { name: value.e.n, stack: value.e.s });
      }
      return this.decodeObject(value);
    }

    /** Decode an array, map, set or plain object with its contents. */
    decodeObject(value) {
      const made = 'a' in value ? [] : 'm' in value ? new Map() : 's' in value ? new Set() : {};
      this.objects.set(value.id, made);
      for (const item of value.a ?? []) made.push(this.decode(item));
      for (const item of value.s ?? []) made.add(this.decode(item));
      for (const { k, v } of value.m ?? []) made.set(this.decode(k), this.decode(v));
      for (const { k, v } of value.o ?? []) if (k !== '__proto__') made[k] = this.decode(v);
      return made;
    }
  }

  return { readOrigin, replaceOrigin };
})();
