# Made by deploy/homebrew/make_formula.py for a tap: CONTRIBUTING.md, "Release".
class GstackBrowse < Formula
  include Language::Python::Virtualenv

  desc "@DESCRIPTION@"
  homepage "@HOMEPAGE@"
  url "@URL@"
  sha256 "@SHA256@"
  license all_of: [@LICENSES@]

  depends_on "rust" => :build
  depends_on "cryptography"
  depends_on "pillow"
  depends_on "python@3.13"

@RESOURCES@

  def install
    venv = virtualenv_create(libexec, "python3.13")
    wheels = [@WHEELS@]
    venv.pip_install resources.reject { |resource| wheels.include?(resource.name) }
    python = Formula["python@3.13"].opt_libexec/"bin/python"
    wheels.each do |name|
      resource(name).stage do
        system python, "-m", "pip", "--python=#{libexec}/bin/python", "install", "--no-deps", Dir["*.whl"].first
      end
    end
    venv.pip_install_and_link buildpath
    man1.install_symlink libexec/"share/man/man1/gbrowse.1"
    bash_completion.install_symlink libexec/"share/bash-completion/completions/gbrowse"
    fish_completion.install_symlink libexec/"share/fish/vendor_completions.d/gbrowse.fish"
    zsh_completion.install_symlink libexec/"share/zsh/site-functions/_gbrowse"
  end

  def caveats
    "Chromium is installed by the first command, or by: gbrowse setup"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gbrowse version")
    assert_match "Unknown command: gotoo", shell_output("#{bin}/gbrowse gotoo 2>&1", 2)
  end
end
