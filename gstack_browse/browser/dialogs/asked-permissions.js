// Reports to the daemon which permissions a page asks for. Runs in the page's own world before its scripts. The reporting function
// is removed from the window, so the page cannot find it. A page that forges a report deceives its own agent only.
(() => {
  const tell = globalThis.__gbrowseAsks;
  if (!tell) return;
  delete globalThis.__gbrowseAsks;
  if (!isSecureContext) return; // no command can grant permissions there

  /** Make a function report the permissions that each call asks for. */
  const follow = (owner, name, asked) => {
    if (typeof owner?.[name] !== 'function') return;
    const apply = (method, self, args) => {
      for (const permission of asked(args[0])) tell(permission);
      return Reflect.apply(method, self, args);
    };
    owner[name] = new Proxy(owner[name], { apply });
  };

  const { Clipboard, Geolocation, IdleDetector, MediaDevices, Navigator, Notification } = globalThis;
  const devices = (wanted) => [wanted?.video && 'camera', wanted?.audio && 'microphone'].filter(Boolean);
  follow(Clipboard?.prototype, 'read', () => ['clipboard-read']);
  follow(Clipboard?.prototype, 'readText', () => ['clipboard-read']);
  follow(Geolocation?.prototype, 'getCurrentPosition', () => ['geolocation']);
  follow(Geolocation?.prototype, 'watchPosition', () => ['geolocation']);
  follow(IdleDetector, 'requestPermission', () => ['idle-detection']);
  follow(MediaDevices?.prototype, 'getUserMedia', devices);
  follow(Navigator?.prototype, 'requestMIDIAccess', () => ['midi']);
  follow(Notification, 'requestPermission', () => ['notifications']);
  follow(globalThis, 'getScreenDetails', () => ['window-management']);
  follow(globalThis, 'queryLocalFonts', () => ['local-fonts']);
})();
