// Tells the daemon which permissions a page asks for. Runs in the page's own world before its scripts. What tells is known to nobody else:
// it is taken out of the window. A page that lies here lies to its own agent only.
(() => {
  const tell = globalThis.__gbrowseAsks;
  if (!tell) return;
  delete globalThis.__gbrowseAsks;
  if (!isSecureContext) return; // no command grants anything there

  /** Have a function tell the permissions that a call asks for. */
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
