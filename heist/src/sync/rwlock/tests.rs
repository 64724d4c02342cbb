use super::*;
use crate::engine::base::parker::block_on;
use crate::sync::test_support::noop;
use std::future::Future;
use std::task::Context;

#[test]
fn readers_share_and_writers_do_not() {
    let lock = RwLock::with_max_readers(1, 2);
    let (a, b) = (lock.try_read().unwrap(), lock.try_read().unwrap());
    assert!(lock.try_read().is_err() && lock.try_write().is_err());
    assert_eq!((*a, format!("{b} {b:?}")), (1, "1 1".into()));
    drop((a, b));
    let mut writer = lock.try_write().unwrap();
    *writer = 2;
    assert!(lock.try_read().is_err());
    assert_eq!(format!("{lock:?}"), "RwLock { data: <locked> }");
    let reader = RwLockWriteGuard::downgrade(writer);
    assert_eq!((*reader, *lock.try_read().unwrap()), (2, 2));
    assert!(lock.try_write().is_err());
    drop(reader);
    assert_eq!(lock.into_inner(), 2);
}

#[test]
fn a_waiting_writer_goes_before_later_readers() {
    let lock = RwLock::new(());
    let reader = lock.try_read().unwrap();
    let mut cx = Context::from_waker(std::task::Waker::noop());
    let mut writer = Box::pin(lock.write());
    assert!(writer.as_mut().poll(&mut cx).is_pending());
    assert!(lock.try_read().is_err());
    let mut late = Box::pin(lock.read());
    assert!(
        late.as_mut()
            .poll(&mut Context::from_waker(&noop()))
            .is_pending()
    );
    drop(reader);
    assert!(late.as_mut().poll(&mut cx).is_pending());
    // Given up, it lets the reader through.
    drop(writer);
    assert!(late.as_mut().poll(&mut cx).is_ready());
}

#[test]
fn guards_map() {
    let lock = Arc::new(RwLock::new((1, Some(2))));
    let writer = lock.try_write().unwrap();
    let writer = RwLockWriteGuard::try_map(writer, |_| None::<&mut u8>).unwrap_err();
    let mapped = RwLockWriteGuard::map(writer, |pair| &mut pair.1);
    let mut mapped = RwLockMappedWriteGuard::try_map(mapped, Option::as_mut).unwrap();
    *mapped += 1;
    drop(RwLockMappedWriteGuard::map(mapped, |n| n));
    drop(RwLockWriteGuard::into_mapped(lock.try_write().unwrap()));
    let reader = RwLockWriteGuard::downgrade_map(lock.try_write().unwrap(), |pair| &pair.1);
    let reader = RwLockReadGuard::try_map(reader, Option::as_ref).unwrap();
    assert_eq!(*RwLockReadGuard::map(reader, |n| n), 3);
    let kept = RwLockWriteGuard::try_downgrade_map(lock.try_write().unwrap(), |_| None::<&u8>)
        .unwrap_err();
    assert!(lock.try_read().is_err());
    drop(kept);

    let writer = Arc::clone(&lock).try_write_owned().unwrap();
    assert!(Arc::ptr_eq(OwnedRwLockWriteGuard::rwlock(&writer), &lock));
    assert!(Arc::clone(&lock).try_read_owned().is_err());
    let mapped = OwnedRwLockWriteGuard::map(writer, |pair| &mut pair.1);
    assert!(Arc::ptr_eq(
        OwnedRwLockMappedWriteGuard::rwlock(&mapped),
        &lock
    ));
    let mut mapped = OwnedRwLockMappedWriteGuard::try_map(mapped, Option::as_mut).unwrap();
    *mapped += 1;
    drop(OwnedRwLockMappedWriteGuard::map(mapped, |n| n));
    let writer = block_on(Arc::clone(&lock).write_owned());
    let writer = OwnedRwLockWriteGuard::try_map(writer, |_| None::<&mut u8>).unwrap_err();
    let writer = OwnedRwLockWriteGuard::try_downgrade_map(writer, |_| None::<&u8>).unwrap_err();
    let reader = OwnedRwLockWriteGuard::downgrade_map(writer, |pair| &pair.1);
    assert!(Arc::ptr_eq(OwnedRwLockReadGuard::rwlock(&reader), &lock));
    let reader = OwnedRwLockReadGuard::try_map(reader, Option::as_ref).unwrap();
    assert_eq!(*OwnedRwLockReadGuard::map(reader, |n| n), 4);
    drop(OwnedRwLockWriteGuard::downgrade(
        Arc::clone(&lock).try_write_owned().unwrap(),
    ));
    drop(OwnedRwLockWriteGuard::into_mapped(
        Arc::clone(&lock).try_write_owned().unwrap(),
    ));
    assert_eq!(*block_on(Arc::clone(&lock).read_owned()), (1, Some(4)));
    assert_eq!(Arc::strong_count(&lock), 1);
}

#[test]
fn limits_are_checked() {
    assert!(std::panic::catch_unwind(|| RwLock::with_max_readers(0, 0)).is_err());
    assert!(std::panic::catch_unwind(|| RwLock::with_max_readers(0, u32::MAX)).is_err());
}

#[test]
fn threads_read_and_write() {
    let lock = Arc::new(RwLock::new((0, 0)));
    let threads: Vec<_> = (0..4)
        .map(|i| {
            let lock = Arc::clone(&lock);
            std::thread::spawn(move || {
                for _ in 0..1_000 {
                    if i % 2 == 0 {
                        let mut pair = lock.blocking_write();
                        pair.0 += 1;
                        pair.1 += 1;
                    } else {
                        let pair = lock.blocking_read();
                        assert_eq!(pair.0, pair.1);
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*lock.blocking_read(), (2_000, 2_000));
}

#[test]
fn guards_go_where_they_should() {
    fn all<T: Send + Sync + Unpin>() {}
    all::<RwLock<u8>>();
    all::<RwLockReadGuard<'_, u8>>();
    all::<RwLockWriteGuard<'_, u8>>();
    all::<RwLockMappedWriteGuard<'_, u8>>();
    all::<OwnedRwLockReadGuard<u8, u16>>();
    all::<OwnedRwLockWriteGuard<u8>>();
    all::<OwnedRwLockMappedWriteGuard<u8, u16>>();
}
