package late;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Objects below a folder of this machine, as a store has them that gives less than any store in use.
 *
 * An object is there from the moment at which it is closed. Nothing is renamed: each object is copied, and then
 * removed. Nothing is appended to or locked. A listing never shows what another process wrote, except the files of tasks
 * at work, which Spark itself has to list.
 */
public class LateStore extends FileSystem {
    private static final Set MADE_HERE = Collections.synchronizedSet(new HashSet());
    private URI uri;
    private File root;
    private RawLocalFileSystem disk;

    public void initialize(URI name, Configuration settings) throws IOException {
        super.initialize(name, settings);
        this.setConf(settings);
        this.uri = URI.create(name.getScheme() + "://" + name.getAuthority());
        this.root = new File(settings.get("fs.late.root"));
        this.disk = new RawLocalFileSystem();
        this.disk.initialize(URI.create("file:///"), settings);
    }

    public String getScheme() {
        return "late";
    }

    public URI getUri() {
        return this.uri;
    }

    public Path getWorkingDirectory() {
        return new Path(this.uri + "/");
    }

    public void setWorkingDirectory(Path folder) {
    }

    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        if (!this.file(path).isFile()) {
            throw new FileNotFoundException(path.toString());
        }
        return this.disk.open(new Path("file", null, this.file(path).getPath()), bufferSize);
    }

    public FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite, int bufferSize,
            short replication, long blockSize, Progressable progress) throws IOException {
        if (!overwrite && this.file(path).exists()) {
            throw new FileAlreadyExistsException(path.toString());
        }
        File upload = new File(this.root, ".uploads" + path.toUri().getPath() + "." + UUID.randomUUID());
        upload.getParentFile().mkdirs();
        return new FSDataOutputStream(new Upload(this, upload, this.file(path), overwrite), null);
    }

    public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) throws IOException {
        throw new UnsupportedOperationException("no object is appended to");
    }

    public boolean rename(Path source, Path target) throws IOException {
        File from = this.file(source);
        File to = this.file(target);
        if (!from.exists()) {
            return false;
        }
        if (to.isDirectory()) {
            to = new File(to, from.getName());
        }
        this.copy(from, to);
        this.remove(from);
        return true;
    }

    public boolean delete(Path path, boolean isRecursive) throws IOException {
        File file = this.file(path);
        if (!file.exists()) {
            return false;
        }
        if (!isRecursive && file.isDirectory() && file.list().length > 0) {
            throw new IOException(path + " is not empty");
        }
        this.remove(file);
        return true;
    }

    public FileStatus[] listStatus(Path path) throws IOException {
        File file = this.file(path);
        if (!file.isDirectory()) {
            return new FileStatus[] {this.getFileStatus(path)};
        }
        List found = new ArrayList();
        String[] names = file.list();
        for (int i = 0; names != null && i < names.length; i++) {
            File one = new File(file, names[i]);
            if (this.isListed(one)) {
                try {
                    found.add(this.getFileStatus(new Path(path, names[i])));
                } catch (FileNotFoundException gone) {
                }
            }
        }
        return (FileStatus[]) found.toArray(new FileStatus[found.size()]);
    }

    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        return this.file(path).isDirectory() || this.file(path).mkdirs() || this.file(path).isDirectory();
    }

    public FileStatus getFileStatus(Path path) throws IOException {
        File file = this.file(path);
        if (!file.exists()) {
            throw new FileNotFoundException(path.toString());
        }
        long size = file.isDirectory() ? 0 : file.length();
        return new FileStatus(size, file.isDirectory(), 1, 1L << 25, file.lastModified(), path.makeQualified(this));
    }

    private File file(Path path) {
        return new File(this.root, path.toUri().getPath());
    }

    private boolean isListed(File file) {
        return file.isDirectory() || MADE_HERE.contains(file.getPath()) || file.getPath().contains("/_temporary/");
    }

    private void copy(File from, File to) throws IOException {
        if (!from.isDirectory()) {
            to.getParentFile().mkdirs();
            Files.copy(from.toPath(), to.toPath(), StandardCopyOption.REPLACE_EXISTING);
            MADE_HERE.add(to.getPath());
            return;
        }
        to.mkdirs();
        String[] names = from.list();
        for (int i = 0; names != null && i < names.length; i++) {
            this.copy(new File(from, names[i]), new File(to, names[i]));
        }
    }

    private void remove(File file) throws IOException {
        String[] names = file.list();
        for (int i = 0; names != null && i < names.length; i++) {
            this.remove(new File(file, names[i]));
        }
        Files.deleteIfExists(file.toPath());
        MADE_HERE.remove(file.getPath());
    }

    void finish(File upload, File file, boolean overwrite) throws IOException {
        file.getParentFile().mkdirs();
        try {
            if (overwrite) {
                Files.move(upload.toPath(), file.toPath(), StandardCopyOption.REPLACE_EXISTING);
            } else {
                Files.createLink(file.toPath(), upload.toPath());
            }
        } catch (java.nio.file.FileAlreadyExistsException there) {
            throw new FileAlreadyExistsException(file.getPath());
        } finally {
            Files.deleteIfExists(upload.toPath());
        }
        MADE_HERE.add(file.getPath());
    }
}

/** Content that becomes an object when it is closed. */
class Upload extends FilterOutputStream {
    private final LateStore store;
    private final File upload;
    private final File file;
    private final boolean overwrite;
    private boolean isClosed;

    Upload(LateStore store, File upload, File file, boolean overwrite) throws IOException {
        super(new FileOutputStream(upload));
        this.store = store;
        this.upload = upload;
        this.file = file;
        this.overwrite = overwrite;
    }

    public void write(byte[] content, int offset, int length) throws IOException {
        this.out.write(content, offset, length);
    }

    public void close() throws IOException {
        if (!this.isClosed) {
            this.isClosed = true;
            super.close();
            this.store.finish(this.upload, this.file, this.overwrite);
        }
    }
}
